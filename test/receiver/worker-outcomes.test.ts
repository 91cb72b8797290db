import { afterAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { PayloadError, StoreError } from '../../src/errors.js'
import type { Worker } from '../../src/queue/queue.js'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { fingerprintOf } from '../../src/store/fingerprint.js'
import type { StoredEvent } from '../../src/store/inbox.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { open } from '../stores/sqlite-rig.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'
import { accepted } from './worker-rig.js'

afterAll(removeFiles)

/** Changes the stored events of a file directly in its database. */
function sabotage(path: string, sql: string): void {
  const database = open(path)
  database.exec(sql)
  database.close()
}

/** A schema that throws. */
const throwing = (thrown: unknown) => ({
  'transfer.settled': {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate() {
        throw thrown
      },
    },
  },
})

it.each([
  ['7b', /^invalid_json(: \S|$)/],
  ['ff', /^invalid_encoding$/],
])('makes an event dead whose stored body %s cannot be read', async (hex, reason) => {
  const handler = vi.fn()
  const { worker, job, inspect, path, results, logger } = await accepted({ fallback: handler })
  sabotage(path, `UPDATE webhook_inbox_events SET body = x'${hex}'`)
  await worker.run(job)
  expect(await inspect()).toMatchObject({ state: 'dead', lastError: expect.stringMatching(reason) })
  expect(results.at(-1)).toMatchObject({ outcome: 'quarantined', source: 'queue' })
  expect(logger.written.at(-1)).toMatch(/^warn webhook-inbox: an event is dead: invalid_(json|encoding)/)
  expect(handler).not.toHaveBeenCalled()
})

it('names the field that makes an event dead, in the log and in the result', async () => {
  const schemas = { 'transfer.settled': z.object({ amount: z.string() }) }
  const { worker, job, results, logger } = await accepted({ schemas })
  await worker.run(job)
  expect(results.at(-1)).toMatchObject({
    code: 'invalid_data',
    detail: 'data.amount (missing; expected string)',
  })
  expect(logger.written.at(-1)).toMatch(
    /event evt_1 \(transfer\.settled\) is dead: invalid_data: data\.amount \(missing; expected string\); fix: /,
  )
})

it('logs which attempt of which type failed', async () => {
  const { worker, job, store, results, logger } = await accepted({
    fallback() {
      throw new RangeError('no such account')
    },
  })
  await expect(worker.run(job)).rejects.toThrow('handler_failed')
  expect(logger.written.at(-1)).toContain(
    'event evt_1 (transfer.settled, attempt 1): handler_failed; RangeError: no such account; ',
  )
  expect(results.at(-1)).toMatchObject({ source: 'queue', attempt: 1 })
  await store.inbox.postpone(job.key, 0, 'no such account')
  await expect(worker.run({ ...job, failures: 1 })).rejects.toThrow('handler_failed')
  expect(results.at(-1)).toMatchObject({ source: 'queue', attempt: 2 })
})

it('logs when the queue tries a failed event again', async () => {
  const logger = lines()
  let isBroken = true
  const receiver = createReceiver({
    secret,
    now: clock,
    logger,
    store: sqliteStore(newFile()),
    queue: localQueue({ retry: { attempts: 3, firstPauseSeconds: 1 } }),
    fallback() {
      if (isBroken) {
        isBroken = false
        throw new RangeError('no such account')
      }
    },
  })
  await receiver.start()
  const before = Date.now()
  await receiver.receive(await delivery())
  await vi.waitFor(async () => {
    expect(await receiver.inspect('evt_1')).toMatchObject({ state: 'done' })
  }, 15_000)
  await receiver.stop()
  const line =
    /^warn webhook-inbox: event evt_1 \(transfer.settled\): attempt 1 of 3 failed; next try at (\S+Z)$/
  const [told, ...more] = logger.written.flatMap((written) => line.exec(written)?.[1] ?? [])
  expect(more).toEqual([])
  expect(Date.parse(told ?? '') - before).toBeGreaterThan(499)
  expect(Date.parse(told ?? '') - before).toBeLessThan(10_000)
})

it('makes an event dead whose key was changed', async () => {
  const handler = vi.fn()
  const { worker, job, store, path } = await accepted({ fallback: handler })
  sabotage(path, `UPDATE webhook_inbox_events SET key = 'another'`)
  await worker.run({ ...job, key: 'another' })
  expect(await store.inbox.read('another')).toMatchObject({
    state: 'dead',
    lastError: expect.stringContaining('it was changed'),
  })
  expect(handler).not.toHaveBeenCalled()
})

it('does not run an event that was removed since it was found', async () => {
  const handler = vi.fn()
  const { worker, job, store, path } = await accepted({ fallback: handler })
  const found = (await store.inbox.read(job.key)) as StoredEvent
  sabotage(path, 'DELETE FROM webhook_inbox_events')
  await expect(worker.run(job, found)).rejects.toMatchObject({ isAttempt: false })
  expect(handler).not.toHaveBeenCalled()
})

it('needs no handler for an event that is done', async () => {
  const { worker, job, store } = await accepted()
  await worker.run(job)
  const given: Worker[] = []
  const other = createReceiver({
    secret,
    store,
    logger: false,
    handlers: { 'transfer.failed': () => {} },
    queue: {
      guarantee: '',
      async consume(worker: Worker) {
        given.push(worker)
        return async () => {}
      },
    },
  })
  await other.start()
  await expect(given[0]?.run(job)).resolves.toBeUndefined()
})

it.each(['invalid_encoding', 'invalid_json', 'invalid_envelope', 'invalid_data'] as const)(
  'makes an event dead whose schema throws %s',
  async (code) => {
    const schemas = throwing(new PayloadError(code, 'the amount'))
    const { worker, job, inspect } = await accepted({ schemas })
    await worker.run(job)
    expect(await inspect()).toMatchObject({ state: 'dead', lastError: `${code}: the amount` })
  },
)

it('says where a failure happened that has no error', async () => {
  const { worker, job } = await accepted({ schemas: throwing(undefined) })
  await expect(worker.run(job)).rejects.toMatchObject({
    isAttempt: true,
    message: 'handler_failed: in the schema of transfer.settled',
  })
})

const circuitsOf = async (store: ReturnType<typeof sqliteStore>) =>
  (await store.inbox.flow?.holds('default'))?.circuits

it('counts no failure of a circuit while the store does not answer', async () => {
  const store = sqliteStore(newFile())
  const { worker, job } = await accepted({
    breaker: { failures: 1, retryAfterSeconds: 3600 },
    store: { ...store, once: () => Promise.reject(new StoreError('down')) },
  })
  await expect(worker.run(job)).rejects.toMatchObject({ isAttempt: false })
  expect(await circuitsOf(store)).toEqual([])
})

it('opens a circuit with the cause that the failures of its events have', async () => {
  const thrown = new RangeError('no such account')
  const { worker, job, store } = await accepted({
    breaker: { failures: 1, retryAfterSeconds: 3600 },
    fallback: () => Promise.reject(thrown),
  })
  await expect(worker.run(job)).rejects.toMatchObject({ isAttempt: true })
  const { fingerprint } = await fingerprintOf(thrown)
  expect(await circuitsOf(store)).toMatchObject([{ type: settled.type, fingerprint }])
})

it('closes a circuit with the first success after its time', async () => {
  let isBroken = true
  const { worker, job, store } = await accepted({
    breaker: { failures: 1, retryAfterSeconds: 0.05 },
    fallback() {
      if (isBroken) {
        throw new Error('the ledger is down')
      }
    },
  })
  await expect(worker.run(job)).rejects.toMatchObject({ isAttempt: true })
  expect(await circuitsOf(store)).toHaveLength(1)
  isBroken = false
  await vi.waitFor(() => worker.run(job), { timeout: 15_000, interval: 50 })
  expect(await circuitsOf(store)).toEqual([])
})

it('tells its queue the priority of a type, and to search for what is most urgent first', async () => {
  const { worker } = await accepted({ priorities: { [settled.type]: 7, 'transfer.failed': -7 } })
  expect(worker.priorityOf?.(settled.type)).toBe(7)
  const filters = worker.searches?.().filters ?? []
  expect(filters.length).toBeGreaterThan(1)
  expect(filters[0]).toEqual({ onlyTypes: [settled.type] })
})

it('closes no circuit with an event that was done before', async () => {
  let isBroken = false
  const { worker, job, store, receiver } = await accepted({
    breaker: { failures: 1, retryAfterSeconds: 0.05 },
    fallback() {
      if (isBroken) {
        throw new Error('the ledger is down')
      }
    },
  })
  const found = (await store.inbox.read(job.key)) as StoredEvent
  await worker.run(job)
  isBroken = true
  await receiver.receive(await delivery({ ...settled, id: 'evt_2' }))
  const [failing] = await receiver.list({ state: 'accepted' })
  await expect(worker.run({ ...job, key: failing?.key as string })).rejects.toMatchObject({ isAttempt: true })
  // The circuit lets one event through after its time.
  await vi.waitFor(() => worker.run(job, found), { timeout: 15_000, interval: 50 })
  expect(await circuitsOf(store)).toMatchObject([{ type: settled.type, failures: 1 }])
})

it.each([
  ['a queue that is not told', { queue: { guarantee: '', consume: async () => async () => {} } }],
  ['no queue', { queue: undefined }],
])('resumes with %s', async (_, over) => {
  const store = sqliteStore(newFile())
  const receiver = createReceiver({ secret, store, logger: false, fallback: () => {}, ...over } as never)
  const audit = { reason: 'the ledger is down', actor: 'suite' }
  await receiver.pause({}, audit)
  expect(await receiver.resume({}, audit)).toBe(true)
  expect(await receiver.paused()).toEqual([])
})
