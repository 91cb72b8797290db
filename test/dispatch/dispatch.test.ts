import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Context } from '../../src/dispatch/context.js'
import { type AnyHandler, findHandler } from '../../src/dispatch/handlers.js'
import { Deadline } from '../../src/timing/deadline.js'

const work = () => ({ tx: { name: 'tx' }, attempt: 3, signal: new AbortController().signal })

describe('findHandler', () => {
  const own: AnyHandler = () => 'own'
  const fallback: AnyHandler = () => 'fallback'

  it.each([
    ['its own', { x: own }, own],
    ['the fallback for another type', { y: own }, fallback],
    ['the fallback where its own is undefined', { x: undefined as never }, fallback],
    ['the fallback without handlers', undefined, fallback],
    ['the fallback where its own is inherited', Object.create({ x: own }), fallback],
  ])('finds %s', (_, handlers, expected) => {
    expect(findHandler(handlers, fallback, 'x')).toBe(expected)
  })

  it.each(['constructor', '__proto__', 'toString', 'valueOf'])(
    'ignores the inherited property %s',
    (type) => {
      expect(findHandler({ x: own }, undefined, type)).toBeUndefined()
      expect(findHandler({ x: own }, fallback, type)).toBe(fallback)
    },
  )

  it('finds own handlers with such names', () => {
    expect(findHandler({ constructor: own } as never, fallback, 'constructor')).toBe(own)
    expect(findHandler(JSON.parse('{"__proto__":1}') as never, fallback, '__proto__')).toBe(1)
  })
})

describe('the context of a handler', () => {
  const contextOf = (deadline = new Deadline(10), warnings: string[] = []) =>
    new Context(work(), deadline, warnings)

  it('has the attempt, the transaction and the warnings', () => {
    expect(contextOf(new Deadline(10), ['odd'])).toMatchObject({
      attempt: 3,
      tx: { name: 'tx' },
      warnings: ['odd'],
    })
  })

  it('takes any value as a warning, even one that cannot be printed', () => {
    const context = contextOf()
    const unprintable = {
      toString() {
        throw new Error('no')
      },
    }
    for (const warning of [7, null, unprintable]) {
      context.warn(warning as never)
    }
    expect(context.warnings).toEqual(['7', 'null', 'a warning that cannot be printed'])
  })

  it('can be destructured, and a copy can warn', () => {
    const context = contextOf()
    const { signal, warn } = context
    expect(signal).toBeInstanceOf(AbortSignal)
    warn('taken out')
    const copy = { ...context, more: true }
    copy.warn('copied')
    expect(context.warnings).toEqual(['taken out', 'copied'])
  })

  it.each(['time', 'claim'] as const)('aborts its signal when the %s ends', (which) => {
    const deadline = new Deadline(10)
    const claim = new AbortController()
    const { signal } = new Context({ ...work(), signal: claim.signal }, deadline, [])
    expect(signal.aborted).toBe(false)
    if (which === 'time') {
      deadline.abort(new Error('time'))
    } else {
      claim.abort(new Error('claim'))
    }
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toEqual(new Error(which))
  })
})

describe('Deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('settles as the work does, and clears its timer', async () => {
    const late = vi.fn()
    expect(await new Deadline(10).race(Promise.resolve('value'), late)).toBe('value')
    await expect(new Deadline(10).race(Promise.reject(new Error('no')), late)).rejects.toThrow('no')
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(late).not.toHaveBeenCalled()
  })

  it('settles with the result of failed, or rejects with its error', async () => {
    const failing = () => Promise.reject(new Error('no'))
    const race = (failed: (error: unknown) => unknown) =>
      new Deadline(10).race<unknown>(failing(), () => 'late', failed)
    expect(await race((error) => (error as Error).message)).toBe('no')
    const mistake = new TypeError('the mapper is wrong')
    await expect(
      race(() => {
        throw mistake
      }),
    ).rejects.toBe(mistake)
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('settles late, and aborts, when the time is up', async () => {
    const deadline = new Deadline(10)
    const { signal } = deadline
    const race = deadline.race(new Promise(() => {}), () => 'late')
    await vi.advanceTimersByTimeAsync(9999)
    expect(signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await race).toBe('late')
    expect(signal.reason).toEqual(new Error('not done within 10 s'))
  })

  it.each([Number.POSITIVE_INFINITY, 30 * 86_400])(
    'waits %s s, which is longer than any timer',
    async (seconds) => {
      const late = vi.fn()
      const race = new Deadline(seconds).race(
        new Promise((resolve) => setTimeout(resolve, 60_000, 'done')),
        late,
      )
      await vi.advanceTimersByTimeAsync(60_000)
      expect(await race).toBe('done')
      expect(late).not.toHaveBeenCalled()
    },
  )

  it('aborts before it calls late', async () => {
    const deadline = new Deadline(1)
    const race = deadline.race(new Promise(() => {}), () => deadline.aborted)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await race).toBe(true)
  })

  it('ignores work that rejects after the response', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    let reject: (reason: unknown) => void = () => {}
    const race = new Deadline(1).race(
      new Promise((_, no) => {
        reject = no
      }),
      () => 'late',
    )
    await vi.advanceTimersByTimeAsync(1000)
    expect(await race).toBe('late')
    reject(new Error('too late'))
    vi.useRealTimers()
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})
