import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { lines, secret } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

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

describe('a probe', () => {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }

  it('answers GET with a body and HEAD without, and no other method', async () => {
    const probe = createReceiver({ secret, store: memoryStore(), fallback: () => {} }).liveness()
    const alive = { status: 200, headers, body: '{"status":"alive"}' }
    expect(await probe.receive(request('GET'))).toEqual(alive)
    expect(await probe.receive(request())).toEqual(alive)
    expect(await probe.receive(request('HEAD'))).toEqual({ ...alive, body: '' })
    expect(await probe.receive(request('POST'))).toEqual({
      status: 405,
      headers: { allow: 'GET, HEAD' },
      body: '',
    })
  })

  it('of readiness follows the store, and logs each change once', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const logger = lines()
      let isDown = true
      const check = () => (isDown ? Promise.reject(new StoreError('ECONNREFUSED')) : memoryStore().check())
      const receiver = createReceiver({ secret, logger, store: scriptedStore({ check }), fallback: () => {} })
      const probe = receiver.readiness()
      const answers: string[] = []
      const ask = async () => {
        const { status, body } = await probe.receive(request('GET'))
        answers.push(`${status} ${body}`)
        vi.advanceTimersByTime(1000)
      }
      await ask()
      await ask()
      isDown = false
      await ask()
      await ask()
      expect(answers).toEqual([
        '503 {"status":"unavailable"}',
        '503 {"status":"unavailable"}',
        '200 {"status":"ready"}',
        '200 {"status":"ready"}',
      ])
      expect(logger.written).toEqual([
        expect.stringMatching(
          /^error webhook-inbox: not ready: store or queue cannot be reached.*ECONNREFUSED/,
        ),
        'info webhook-inbox: ready again',
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  it('of readiness logs nothing of an old check that ends after a newer one', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const logger = lines()
      let checks = 0
      const check = () => (checks++ === 0 ? never : memoryStore().check())
      const receiver = createReceiver({ secret, logger, store: scriptedStore({ check }), fallback: () => {} })
      const probe = receiver.readiness({ timeoutSeconds: 0.3 })
      const old = probe.receive(request())
      vi.advanceTimersByTime(1000)
      expect(await probe.receive(request())).toMatchObject({ status: 200 })
      expect(await old).toMatchObject({ status: 503 })
      expect(logger.written).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

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

  it('of readiness shares its response for a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      vi.advanceTimersByTime(5000)
      const store = scriptedStore()
      const probe = createReceiver({ secret, store, fallback: () => {} }).readiness()
      await Promise.all([probe.receive(request()), probe.receive(request())])
      vi.advanceTimersByTime(999)
      await probe.receive(request())
      expect(store.calls).toEqual(['check'])
      vi.advanceTimersByTime(1)
      await probe.receive(request())
      expect(store.calls).toEqual(['check', 'check'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('of readiness needs no queue that can be checked', async () => {
    const queue = { guarantee: '', consume: async () => async () => {} }
    const store = sqliteStore(newFile())
    const probe = createReceiver({ secret, logger: false, store, queue, fallback: () => {} }).readiness()
    expect(await probe.receive(request())).toMatchObject({ status: 200 })
  })

  it('of readiness says how long it waited for a store that does not answer', async () => {
    const logger = lines()
    const store = scriptedStore({ check: () => never })
    const probe = createReceiver({ secret, logger, store, fallback: () => {} }).readiness({
      timeoutSeconds: 0.05,
    })
    expect(await probe.receive(request())).toMatchObject({ status: 503, body: '{"status":"unavailable"}' })
    expect(logger.written.join()).toContain('no response within 0.05 s')
  })

  it.each<[object, string]>([
    [{ timeoutSeconds: 0 }, 'timeoutSeconds must be a positive number, at most an hour'],
    [{ timeoutSeconds: 3601 }, 'timeoutSeconds must be a positive number, at most an hour'],
    [{ timeoutSeconds: '2' }, 'timeoutSeconds must be a positive number, at most an hour'],
    [{ timeout: 2 }, 'timeout is not an option of readiness; did you mean timeoutSeconds?'],
  ])('of readiness rejects %j', (options, message) => {
    const receiver = createReceiver({ secret, store: memoryStore(), fallback: () => {} })
    expect(() => receiver.readiness(options as never)).toThrow(message)
    expect(() => receiver.readiness({ timeoutSeconds: 3600 })).not.toThrow()
  })
})
