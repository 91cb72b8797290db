import { afterAll, describe, expect, it, vi } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { lines, secret } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

afterAll(removeFiles)

const request = (method?: string) => ({ method, headers: {}, body: new Uint8Array() }) as never

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
