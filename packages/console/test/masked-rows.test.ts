import { describe, expect, it } from 'vitest'
import { attemptRows } from '../src/views/attempt-rows.js'
import { resolveMask } from '../src/views/mask.js'
import { shapeChangeRows } from '../src/views/shape-change.js'

const maskOf = (...paths: string[]) => resolveMask(paths)

describe('a change of the shape', () => {
  const changes = [
    { change: 'added', path: 'data.more', type: 'number' },
    { change: 'removed', path: 'data.hidden.x', type: 'string' },
    { change: 'type', path: 'data.list[].x', before: 'string', type: 'number' },
    { change: 'renamed', path: 'data.name', before: 'data.hidden.name', type: 'string' },
    { change: 'added', path: 'data.cut…', type: 'string' },
    { change: 'added', path: 'data.cut….x', type: 'string' },
  ] as never
  const shown = (mask: ReturnType<typeof maskOf>) =>
    shapeChangeRows(changes, { mask }).map(({ path }) => path)

  it('is shown unless it is below a masked path, or below a name that was cut', () => {
    expect(shown(undefined)).toHaveLength(6)
    expect(shown(maskOf('data.hidden'))).toEqual(['data.more', 'data.list[].x', 'data.cut…'])
    expect(shown(maskOf('data.list'))).not.toContain('data.list[].x')
    expect(shown(maskOf('data.list.0'))).not.toContain('data.list[].x')
    expect(shown(maskOf('data.more'))).toContain('data.more')
    const failing = resolveMask(() => {
      throw new Error('on purpose')
    })
    expect(shown(failing)).toEqual([])
  })

  it('says what it was before', () => {
    expect(shapeChangeRows(changes, { mask: undefined }).slice(1, 4)).toEqual([
      { change: 'removed', path: 'data.hidden.x', type: 'string' },
      { change: 'type', path: 'data.list[].x', before: 'string', type: 'number' },
      { change: 'renamed', path: 'data.name', before: 'data.hidden.name', type: 'string' },
    ])
  })
})

describe('the attempts of an event behind a mask', () => {
  const attempt = (error: string | undefined, over: object = {}) => ({
    attempt: 1,
    generation: 0,
    at: 'now',
    ...(error !== undefined && { error }),
    ...over,
  })
  const errorsOf = (attempts: object[], lastError: string, isMasked = true) =>
    attemptRows({ attempts, lastError } as never, ['Ada'], isMasked).map(({ error }) => error)

  it('show the message of an error only if it is of the stored content', () => {
    const [first, last] = ['TypeError: no Ada', 'TypeError: no more Ada']
    expect(errorsOf([attempt(first), attempt(last)], last)).toEqual([
      'TypeError: •••',
      'TypeError: no more •••',
    ])
    expect(errorsOf([attempt(first), attempt(last)], last, false)).toEqual([
      'TypeError: no •••',
      'TypeError: no more •••',
    ])
    expect(errorsOf([attempt(first, { retryAt: 'soon' }), attempt(last)], 'other')).toEqual([
      'TypeError: no •••',
      'TypeError: no more •••',
    ])
    expect(errorsOf([attempt(first), attempt(last, { generation: 1 })], 'other')).toEqual([
      'TypeError: •••',
      'TypeError: no more •••',
    ])
    expect(errorsOf([attempt(undefined)], 'other')).toEqual([undefined])
    expect(attemptRows({} as never, [], true)).toEqual([])
  })
})
