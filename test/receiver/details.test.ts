import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Job } from '../../src/queue/queue.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { deferred } from '../store/scripted-leases.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'
import { never, scriptedStore } from './scripted-store.js'

/** What an operator and a queue learn about a delivery, beyond its answer. */

afterAll(removeFiles)

const base = { secret, now: clock, logger: false, fallback: () => {} } as const

const receive = async (options: object, ...sent: Parameters<typeof delivery>) =>
  createReceiver({ ...base, store: memoryStore(), ...options } as never).receive(await delivery(...sent))

describe('a header', () => {
  it.each(['utf-16', 'xutf-8', 'utf-8x', 'utf-88'])(
    'that names the charset %s is rejected, and named',
    async (charset) => {
      for (const type of [
        `application/json;charset=${charset}`,
        `application/json; charset = "${charset}"`,
      ]) {
        const result = await receive({}, settled, { headers: { 'content-type': type } })
        expect(result).toMatchObject({ code: 'unsupported_media_type', detail: `charset=${charset}` })
      }
    },
  )

  it('with a length that was sent twice says nothing about the length', async () => {
    const headers = { 'content-length': ['999', '999'] }
    expect(await receive({ maxBodyBytes: 1000 }, settled, { headers })).toMatchObject({
      outcome: 'processed',
    })
  })
})

it('an accepted event logs nothing if its queue has no committed()', async () => {
  const logger = lines()
  const store = sqliteStore(newFile())
  const queue = { guarantee: 'none', consume: async () => async () => {} }
  expect(await receive({ logger, store, queue })).toMatchObject({ outcome: 'accepted' })
  expect(logger.written.filter((line) => line.startsWith('error'))).toEqual([])
  await store.close()
})

describe('a body', () => {
  it('that is too large names the limit', async () => {
    expect(await receive({ maxBodyBytes: 10 })).toMatchObject({
      code: 'body_too_large',
      detail: 'maxBodyBytes is 10',
    })
  })

  it('that takes too long names the limit', async () => {
    const request = { body: () => never }
    expect(await receive({ bodyTimeoutSeconds: 0.02 }, settled, { request })).toMatchObject({
      code: 'body_timeout',
      detail: 'bodyTimeoutSeconds is 0.02',
    })
  })

  it.each([
    ['text', 'body'],
    ['a list with a code', async () => ['body_incomplete']],
  ])('that is %s is a mistake of the program', async (_, body) => {
    const result = receive({}, settled, { request: { body: body as never } })
    await expect(result).rejects.toThrow(
      'body_not_bytes: receive takes the raw bytes, or a function that reads them',
    )
  })
})

describe('resource()', () => {
  it.each([
    ['a number', 7, 'a value of type number'],
    ['a promise', Promise.resolve('tr_1'), 'a promise'],
    ['an object', {}, 'a value of type object'],
    ['an empty string', '', 'an empty string'],
    ['a long string', 'r'.repeat(513), '513 characters'],
    ['a zero character', 'a\0', 'a string with a zero character or a lone surrogate'],
    ['a lone surrogate', 'a\ud800', 'a string with a zero character or a lone surrogate'],
  ])('that returns %s is told what it must return', async (_, returned, what) => {
    const store = sqliteStore(newFile())
    const queue = { guarantee: '', consume: async () => async () => {} }
    const result = await receive({ store, queue, resource: () => returned })
    expect((result as { cause?: Error }).cause?.message).toBe(
      `resource() returned ${what}; it must return a string of 1 to 512 characters, undefined or null`,
    )
  })

  it('may return 512 characters', async () => {
    const store = sqliteStore(newFile())
    const queue = { guarantee: '', consume: async () => async () => {} }
    expect(await receive({ store, queue, resource: () => 'r'.repeat(512) })).toMatchObject({
      outcome: 'accepted',
    })
  })
})

describe('a queue', () => {
  it('gets a job that names the event, its endpoint and its resource', async () => {
    const jobs: Job[] = []
    const store = sqliteStore(newFile())
    const queue = {
      guarantee: '',
      consume: async () => async () => {},
      enqueue: async (job: Job) => void jobs.push(job),
      committed: (job: Job) => void jobs.push(job),
    }
    await receive({ store, queue, endpoint: 'mine', resource: () => 'tr_1' })
    const [event] = await store.inbox.list({ allEndpoints: true })
    const job = {
      key: event?.key,
      type: 'transfer.settled',
      endpoint: 'mine',
      generation: 0,
      resource: 'tr_1',
    }
    expect(jobs).toEqual([job, job])
  })
})

describe('a store', () => {
  const consume = async () => async () => {}

  it('that never accepts an event is answered in time', async () => {
    const store = sqliteStore(newFile())
    const hanging = { ...store, inbox: { ...store.inbox, accept: () => never } }
    const options = { store: hanging, queue: { guarantee: '', consume }, handlerTimeoutSeconds: 0.05 }
    expect(await receive(options)).toMatchObject({ status: 503, code: 'store_unavailable', eventId: 'evt_1' })
  })

  it('that never quarantines a delivery is answered in time', async () => {
    const store = sqliteStore(newFile())
    const hanging = { ...store, inbox: { ...store.inbox, quarantine: () => never } }
    const options = { store: hanging, handlerTimeoutSeconds: 0.05 }
    expect(await receive(options, '{')).toMatchObject({
      status: 503,
      code: 'store_unavailable',
      secretIndex: 0,
    })
  })

  it('that fails is the cause of the result, beside the event', async () => {
    const cause = new Error('ECONNRESET')
    const store = scriptedStore({ once: () => Promise.reject(cause) })
    const result = await receive({ store })
    expect(result).toMatchObject({ code: 'store_unavailable', eventId: 'evt_1', secretIndex: 0 })
    expect((result as { cause?: unknown }).cause).toBe(cause)
  })

  it('that claims too late notes why the handler did not run', async () => {
    const late = deferred()
    const real = sqliteStore(newFile())
    const store = {
      ...real,
      async once(...given: Parameters<typeof real.once>) {
        await late.promise
        return real.once(...given)
      },
    }
    expect(await receive({ store, handlerTimeoutSeconds: 0.05 })).toMatchObject({ code: 'store_unavailable' })
    late.resolve()
    await vi.waitFor(async () => {
      const [event] = await real.inbox.list({ allEndpoints: true })
      expect(event).toMatchObject({ state: 'failed', lastError: 'Error: the claim came too late' })
      const { attempts } = (await real.inbox.read(event?.key ?? '')) ?? {}
      expect(attempts).toEqual([expect.objectContaining({ isUncounted: true })])
    })
  })
})

describe('an event that is done', () => {
  it('stays a duplicate when a later version of the schema rejects it', async () => {
    const store = sqliteStore(newFile())
    expect(await receive({ store })).toMatchObject({ outcome: 'processed' })
    const refusing = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) },
    }
    const schemas = { 'transfer.settled': refusing }
    expect(await receive({ store, schemas })).toMatchObject({ outcome: 'duplicate' })
  })
})
