import { afterEach, describe, expect, it, vi } from 'vitest'
import type { HandlerContext } from '../../src/dispatch/handlers.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deferred } from '../store/scripted-leases.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

const base = { secret, now: clock, logger: false } as const

afterEach(() => {
  removeFiles()
  vi.restoreAllMocks()
})

describe('a handler that exceeds its time', () => {
  it('gets an aborted signal, and keeps its claim until it settles', async () => {
    const gate = deferred()
    const seen: HandlerContext[] = []
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      handlerTimeoutSeconds: 0.1,
      fallback: async (_event, context) => {
        seen.push(context as HandlerContext)
        await gate.promise
      },
    })
    const first = await receiver.receive(await delivery())
    expect(first).toMatchObject({ code: 'handler_timeout', status: 503 })
    expect(first).not.toHaveProperty('detail')
    expect(seen[0]?.signal.aborted).toBe(true)
    expect(seen[0]?.signal.reason).toEqual(new Error('not done within 0.1 s'))
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'in_progress', status: 503 })
    gate.resolve()
    await vi.waitFor(async () => {
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
    })
    expect(seen).toHaveLength(1)
  })

  it('releases the event if it fails late, and the failure is logged and handled', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const gate = deferred()
    const logger = lines()
    const handler = vi.fn(() => gate.promise).mockResolvedValueOnce(undefined)
    handler
      .mockReset()
      .mockImplementationOnce(() => gate.promise)
      .mockResolvedValueOnce(undefined)
    const receiver = createReceiver({
      ...base,
      logger,
      store: memoryStore(),
      handlerTimeoutSeconds: 0.1,
      fallback: handler,
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_timeout' })
    gate.reject(new Error('too late'))
    await vi.waitFor(async () => {
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    })
    expect(handler).toHaveBeenCalledTimes(2)
    expect(logger.written.join('\n')).toContain(
      'error webhook-inbox: event evt_1: the handler failed after the time limit of 0.1 s; Error: too late; at ',
    )
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('gets no aborted signal while it is in time', async () => {
    let signal: AbortSignal | undefined
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      fallback: async (_event, context) => {
        signal = context.signal
      },
    })
    await receiver.receive(await delivery())
    expect(signal?.aborted).toBe(false)
  })
})

describe('a store that fails', () => {
  it('releases its claim if it answers late, and the handler never runs', async () => {
    const late = deferred()
    const handler = vi.fn()
    const real = memoryStore()
    const store = scriptedStore({
      once: async (event, work) => {
        await late.promise
        return real.once(event, work)
      },
    })
    const receiver = createReceiver({ ...base, store, handlerTimeoutSeconds: 0.1, fallback: handler })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable', status: 503 })
    late.resolve()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(handler).not.toHaveBeenCalled()
    const next = createReceiver({ ...base, store: real, fallback: handler })
    expect(await next.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    expect(handler).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ attempt: 2 }))
  })

  it('delays 2xx until the event is marked done', async () => {
    const marked = deferred()
    const real = memoryStore()
    const store = scriptedStore({
      once: async (event, work) => {
        const outcome = await real.once(event, work)
        await marked.promise
        return outcome
      },
    })
    const receiver = createReceiver({ ...base, store, fallback: () => {} })
    let answered = false
    const pending = receiver.receive(await delivery()).then((result) => {
      answered = true
      return result
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(answered).toBe(false)
    marked.resolve()
    expect(await pending).toMatchObject({ outcome: 'processed' })
  })

  it('gives 503 if it hangs while it marks the event done, even though the handler finished', async () => {
    const store = scriptedStore({
      once: async (_event, work) => {
        await work({ tx: undefined, attempt: 1, signal: new AbortController().signal })
        return never
      },
    })
    const receiver = createReceiver({ ...base, store, handlerTimeoutSeconds: 0.1, fallback: () => {} })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
  })

  it('does not hide the error of the handler if it hangs while it releases the event', async () => {
    const store = scriptedStore({
      once: async (_event, work) => {
        await Promise.resolve(
          work({ tx: undefined, attempt: 1, signal: new AbortController().signal }),
        ).catch(() => {})
        return never
      },
    })
    const cause = new Error('no such account')
    const receiver = createReceiver({
      ...base,
      store,
      handlerTimeoutSeconds: 0.1,
      fallback: () => Promise.reject(cause),
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_failed', cause })
  })

  it('is checked again after it recovers', async () => {
    let isDown = true
    const real = memoryStore()
    const store = scriptedStore({ check: () => (isDown ? Promise.reject(new Error('down')) : real.check()) })
    const receiver = createReceiver({ ...base, store, fallback: () => {} })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
    isDown = false
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
    expect(store.calls.filter((call) => call === 'check')).toHaveLength(2)
  })

  it('is checked again after a check that never settled', async () => {
    const real = memoryStore()
    const check = vi.fn(() => real.check()).mockImplementationOnce(() => never)
    const receiver = createReceiver({
      ...base,
      store: scriptedStore({ check }),
      fallback: () => {},
      handlerTimeoutSeconds: 0.1,
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'store_unavailable' })
    await vi.waitFor(async () => {
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    })
    expect(check).toHaveBeenCalledTimes(2)
  })
})
