import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Deadline } from '../../src/dispatch/deadline.js'
import { type AnyHandler, findHandler, type HandlerContext } from '../../src/dispatch/handlers.js'
import { runHandler } from '../../src/dispatch/run-handler.js'
import { HandlerFailure } from '../../src/errors.js'
import type { WebhookEvent } from '../../src/event/event.js'

const event = { id: 'evt_1', type: 'x' } as WebhookEvent
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
    'finds nothing of every object’s own: %s',
    (type) => {
      expect(findHandler({ x: own }, undefined, type)).toBeUndefined()
      expect(findHandler({ x: own }, fallback, type)).toBe(fallback)
    },
  )

  it('finds own handlers of such names', () => {
    expect(findHandler({ constructor: own } as never, fallback, 'constructor')).toBe(own)
    expect(findHandler(JSON.parse('{"__proto__":1}') as never, fallback, '__proto__')).toBe(1)
  })
})

describe('runHandler', () => {
  const run = (handler: AnyHandler, deadline = new Deadline(10), warnings: string[] = []) =>
    runHandler(handler, event, work(), deadline, warnings)

  it('hands over the event, the attempt, the transaction and the warnings', async () => {
    const handler = vi.fn()
    await run(handler, new Deadline(10), ['odd'])
    expect(handler).toHaveBeenCalledWith(
      event,
      expect.objectContaining({ attempt: 3, tx: { name: 'tx' }, warnings: ['odd'] }),
    )
  })

  it.each<[string, AnyHandler, unknown]>([
    [
      'throws an error',
      () => {
        throw new TypeError('no')
      },
      new TypeError('no'),
    ],
    [
      'throws a string',
      () => {
        throw 'no'
      },
      'no',
    ],
    [
      'throws nothing',
      () => {
        throw undefined
      },
      undefined,
    ],
    ['rejects', () => Promise.reject(new TypeError('no')), new TypeError('no')],
  ])('rejects with what a handler %s, wrapped', async (_, handler, cause) => {
    const error: unknown = await run(handler).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(HandlerFailure)
    expect(error).toMatchObject({ name: 'HandlerFailure', cause })
  })

  it('waits for what a handler returns, and drops its value', async () => {
    let isDone = false
    const handler = async () => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      isDone = true
      return 'value'
    }
    expect(await run(handler)).toBeUndefined()
    expect(isDone).toBe(true)
  })

  it('gives a context whose parts can be taken out, and whose copies can warn', async () => {
    const warnings: string[] = []
    const handler: AnyHandler = (_event, context: HandlerContext) => {
      const { signal, warn } = context
      expect(signal).toBeInstanceOf(AbortSignal)
      warn('taken out')
      const copy = { ...context, more: true }
      copy.warn('copied')
    }
    await run(handler, new Deadline(10), warnings)
    expect(warnings).toEqual(['taken out', 'copied'])
  })

  it('aborts the signal when the time is up, and when the claim is lost', async () => {
    for (const which of ['time', 'claim'] as const) {
      const deadline = new Deadline(10)
      const claim = new AbortController()
      let signal: AbortSignal | undefined
      const handler: AnyHandler = (_event, context: { signal: AbortSignal }) => {
        signal = context.signal
      }
      await runHandler(handler, event, { ...work(), signal: claim.signal }, deadline, [])
      expect(signal?.aborted).toBe(false)
      if (which === 'time') deadline.abort(new Error('time'))
      else claim.abort(new Error('claim'))
      expect(signal?.aborted).toBe(true)
      expect(signal?.reason).toEqual(new Error(which))
    }
  })
})

describe('Deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('settles as the work does, and leaves no timer', async () => {
    const late = vi.fn()
    expect(await new Deadline(10).race(Promise.resolve('value'), late)).toBe('value')
    await expect(new Deadline(10).race(Promise.reject(new Error('no')), late)).rejects.toThrow('no')
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(late).not.toHaveBeenCalled()
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

  it.each([Number.POSITIVE_INFINITY, 30 * 86_400])('waits %s s, which no timer holds', async (seconds) => {
    const late = vi.fn()
    const race = new Deadline(seconds).race(
      new Promise((resolve) => setTimeout(resolve, 60_000, 'done')),
      late,
    )
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await race).toBe('done')
    expect(late).not.toHaveBeenCalled()
  })

  it('has aborted before it asks what to answer', async () => {
    const deadline = new Deadline(1)
    const race = deadline.race(new Promise(() => {}), () => deadline.aborted)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await race).toBe(true)
  })

  it('lets work that rejects after the answer go unheard', async () => {
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
