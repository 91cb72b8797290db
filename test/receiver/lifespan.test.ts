import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { deferred } from '../store/scripted-leases.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { lines, secret } from './deliver.js'
import { never } from './scripted-store.js'

const signals = ['SIGTERM', 'SIGINT'] as const
const others = signals.map((signal) => process.listeners(signal))

/** The listeners that a test has added. Calling one is what a signal does; a real one would also reach the test runner. */
const added = () =>
  signals.flatMap((signal, i) => process.listeners(signal).filter((each) => !others[i]?.includes(each)))

afterAll(removeFiles)

let remove = () => {}
afterEach(() => {
  remove()
  vi.restoreAllMocks()
  process.exitCode = undefined
})

const request = (method?: string) => ({ method, headers: {}, body: new Uint8Array() }) as never

describe('stopOnSignals', () => {
  it('runs its steps in order, once, and then removes its listeners', async () => {
    const logger = lines()
    const store = memoryStore()
    const receiver = createReceiver({ secret, store, logger, fallback: () => {} })
    const steps: string[] = []
    remove = receiver.stopOnSignals({
      before: () => void steps.push(`before, stopping: ${receiver.stopping.aborted}`),
      after: async () => void steps.push('after'),
    })
    expect(added()).toHaveLength(2)
    added()[0]?.('SIGTERM')
    await vi.waitFor(() => expect(added()).toEqual([]))
    expect(steps).toEqual(['before, stopping: true', 'after'])
    expect(logger.written).toEqual([
      'info webhook-inbox: stopping on SIGTERM; a second signal ends the process',
    ])
    expect(process.exitCode).toBeUndefined()
  })

  it('continues after a step that fails, and says so', async () => {
    const logger = lines()
    const receiver = createReceiver({ secret, store: memoryStore(), logger, fallback: () => {} })
    const cause = new Error('the server did not close')
    const after = vi.fn()
    remove = receiver.stopOnSignals({ before: () => Promise.reject(cause), after })
    added()[1]?.('SIGINT')
    await vi.waitFor(() => expect(added()).toEqual([]))
    expect(after).toHaveBeenCalledTimes(1)
    expect(logger.written.slice(1)).toEqual([
      expect.stringContaining('error webhook-inbox: before failed while the receiver stopped'),
    ])
    expect(process.exitCode).toBe(1)
  })

  it('says which step failed, and needs none', async () => {
    const logger = lines()
    const close = vi.fn(() => Promise.reject(new Error('the broker is gone')))
    const queue = { guarantee: '', consume: async () => async () => {}, close }
    const store = sqliteStore(newFile())
    const failing = createReceiver({ secret, store, queue, logger, fallback: () => {} })
    remove = failing.stopOnSignals({ after: () => Promise.reject(new Error('no disk')) })
    added()[0]?.('SIGTERM')
    await vi.waitFor(() => expect(added()).toEqual([]))
    expect(close).toHaveBeenCalledTimes(1)
    expect(logger.written.slice(1)).toEqual([
      expect.stringMatching(
        /^error webhook-inbox: stop failed while the receiver stopped.*the broker is gone/,
      ),
      expect.stringMatching(/^error webhook-inbox: after failed while the receiver stopped.*no disk/),
    ])
    await store.close()

    process.exitCode = undefined
    const quiet = lines()
    const plain = createReceiver({ secret, store: memoryStore(), logger: quiet, fallback: () => {} })
    remove = plain.stopOnSignals()
    added()[0]?.('SIGTERM')
    await vi.waitFor(() => expect(added()).toEqual([]))
    expect(quiet.written).toHaveLength(1)
    expect(process.exitCode).toBeUndefined()
  })

  it('waits for before no longer than beforeSeconds', async () => {
    const logger = lines()
    const receiver = createReceiver({ secret, store: memoryStore(), logger, fallback: () => {} })
    const after = vi.fn()
    remove = receiver.stopOnSignals({ before: () => never, beforeSeconds: 0.02, after })
    added()[0]?.('SIGTERM')
    await vi.waitFor(() => expect(added()).toEqual([]))
    expect(after).toHaveBeenCalledTimes(1)
    expect(logger.written[1]).toContain(
      'not done within 0.02 s; close open connections too, as closeAllConnections() does',
    )
  })

  it('gives a second signal to the process, without its listeners', async () => {
    // The test of another process shows that this ends it.
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => true)
    const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    remove = receiver.stopOnSignals({ before: () => never, beforeSeconds: 60 })
    const [listener] = added()
    listener?.('SIGTERM')
    expect(kill).not.toHaveBeenCalled()
    expect(added()).toHaveLength(2)
    listener?.('SIGINT')
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGINT')
    expect(added()).toEqual([])
  })

  it.each<[object, string]>([
    [{ before: 7 }, 'before must be a function'],
    [{ after: 'stop' }, 'after must be a function'],
    [{ beforeSeconds: -1 }, 'beforeSeconds must be a number of seconds'],
    [{ beforeSeconds: Number.POSITIVE_INFINITY }, 'beforeSeconds must be a number of seconds'],
    [
      { grace: 1 },
      'grace is not an option of stopOnSignals; there are before, beforeSeconds, after, drainSeconds',
    ],
  ])('rejects %j', (options, message) => {
    const receiver = createReceiver({ secret, store: memoryStore(), fallback: () => {} })
    expect(() => receiver.stopOnSignals(options as never)).toThrow(message)
    expect(added()).toEqual([])
  })

  it('takes a time of nothing', () => {
    const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    remove = receiver.stopOnSignals({ beforeSeconds: 0, drainSeconds: 0 })
    expect(added()).toHaveLength(2)
  })
})

describe('stop and start', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, '5', null, true])(
    'reject a drainSeconds of %j, and stop nothing',
    async (drainSeconds) => {
      const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
      const refused = { code: 'invalid_option', message: expect.stringContaining('drainSeconds must be') }
      await expect(receiver.stop({ drainSeconds } as never)).rejects.toMatchObject(refused)
      expect(receiver.stopping.aborted).toBe(false)
      expect(() => receiver.stopOnSignals({ drainSeconds } as never)).toThrow('drainSeconds must be')
      expect(added()).toEqual([])
    },
  )

  it('reject an option that they do not have, and a consume that is no boolean', async () => {
    const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    await expect(receiver.stop({ drain: 1 } as never)).rejects.toThrow(
      'unknown_option: drain is not an option of stop; did you mean drainSeconds?',
    )
    await expect(receiver.start({ consumes: 1 } as never)).rejects.toThrow(
      'unknown_option: consumes is not an option of start; did you mean consume?',
    )
    const message = 'invalid_option: consume and announce must be booleans'
    for (const value of ['false', 0, null]) {
      await expect(receiver.start({ consume: value } as never)).rejects.toThrow(message)
      await expect(receiver.start({ announce: value } as never)).rejects.toThrow(message)
    }
    await receiver.stop({ drainSeconds: 0 })
  })
})

describe('start', () => {
  it.each(['stop', 'a signal'] as const)(
    'runs nothing if %s comes while it checks the store',
    async (end) => {
      const checked = deferred()
      const consume = vi.fn(async () => async () => {})
      const store = sqliteStore(newFile())
      const slow = { ...store, check: () => checked.promise.then(() => store.check()) }
      const queue = { guarantee: '', consume }
      const receiver = createReceiver({ secret, store: slow, queue, logger: false, fallback: () => {} })
      remove = receiver.stopOnSignals()
      const starting = receiver.start()
      if (end === 'stop') {
        await receiver.stop()
      } else {
        added()[0]?.('SIGTERM')
        await vi.waitFor(() => expect(added()).toEqual([]))
      }
      checked.resolve()
      await expect(starting).rejects.toMatchObject({
        name: 'AbortError',
        message: 'the receiver was stopped',
      })
      expect(consume).not.toHaveBeenCalled()
      await store.close()
    },
  )

  it('rejects, and ends the consumer, if stop comes while the queue opens it', async () => {
    const opened = deferred()
    const end = vi.fn(async () => {})
    const store = sqliteStore(newFile())
    const consume = vi.fn(() => opened.promise.then(() => end))
    const queue = { guarantee: '', consume }
    const receiver = createReceiver({ secret, store, queue, logger: false, fallback: () => {} })
    const starting = receiver.start()
    await vi.waitFor(() => expect(consume).toHaveBeenCalledTimes(1))
    const stopping = receiver.stop()
    opened.resolve()
    await expect(starting).rejects.toMatchObject({ name: 'AbortError' })
    await stopping
    expect(end).toHaveBeenCalledTimes(1)
    await store.close()
  })

  it('runs nothing after a signal', async () => {
    const check = vi.fn(() => memoryStore().check())
    const store = { ...memoryStore(), check }
    const receiver = createReceiver({ secret, store, logger: false, fallback: () => {} })
    remove = receiver.stopOnSignals()
    added()[0]?.('SIGTERM')
    await vi.waitFor(() => expect(added()).toEqual([]))
    await expect(receiver.start()).rejects.toMatchObject({ name: 'AbortError' })
    expect(check).not.toHaveBeenCalled()
  })

  it('works again after stop, and so do its probe and its signal', async () => {
    const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    const probe = receiver.readiness()
    await receiver.start()
    const { stopping } = receiver
    await receiver.stop()
    expect([stopping.aborted, receiver.stopping.aborted]).toEqual([true, true])
    expect(await probe.receive(request('GET'))).toMatchObject({ status: 503 })
    await receiver.start()
    expect([stopping.aborted, receiver.stopping.aborted]).toEqual([true, false])
    expect(await probe.receive(request('GET'))).toMatchObject({ status: 200 })
    await receiver.stop()
    expect(receiver.stopping.aborted).toBe(true)
  })
})

describe('a probe', () => {
  it('of readiness is 503 from the moment when the receiver stops, before its server closes', async () => {
    const receiver = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    const probe = receiver.readiness()
    const asked: string[] = []
    const ask = async () => {
      const { status, body } = await probe.receive(request('GET'))
      asked.push(`${status} ${body}`)
    }
    await ask()
    remove = receiver.stopOnSignals({ before: ask, after: ask })
    added()[0]?.('SIGTERM')
    await vi.waitFor(() => expect(added()).toEqual([]))
    const stopping = '503 {"status":"stopping"}'
    expect(asked).toEqual(['200 {"status":"ready"}', stopping, stopping])
  })
})
