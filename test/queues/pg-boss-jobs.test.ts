import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import { expect, it } from 'vitest'
import { createReceiver } from '../../src/index.js'
import type { Job } from '../../src/queue/queue.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { postgresStore, type Row } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { testSecret } from '../../src/testing/delivery.js'
import { eventually } from '../../src/testing/laws.js'
import { testSender } from '../../src/testing/sender.js'
import { newEvent } from '../stores/postgres-rig.js'
import { newFile } from '../stores/sqlite-files.js'
import {
  boss,
  closing,
  errors,
  jobOf,
  jobs,
  onError,
  openPgBoss,
  pool,
  program,
  states,
} from './pg-boss-rig.js'

openPgBoss()

const patiently = { timeout: 20_000 }

it('overrides the settings of pg-boss for a job', async () => {
  const { sender, receiver } = program('overrides')
  await receiver.start({ consume: false })
  expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
  const { rows } = await jobs('webhook-inbox.overrides')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({
    retry_limit: 2 ** 31 - 1,
    retry_backoff: false,
    retry_delay: 2,
    is_kept: true,
  })
  expect(Number(rows[0].expire)).toBe(60)
  expect(rows[0].dead_letter).toBeNull()
  expect(rows[0].data).toMatchObject({
    type: 'transfer.settled',
    endpoint: 'overrides',
    generation: 0,
    failures: 0,
  })
})

it('gives each endpoint its own queue, with a name that pg-boss allows', async () => {
  const endpoints = ['a', 'a.2e', 'a.', 'zahlung/€ 1', 'Ü'.repeat(255)]
  for (const endpoint of endpoints) {
    const { sender, receiver } = program(endpoint)
    await receiver.start({ consume: false })
    expect(await sender.send('transfer.settled')).toMatchObject({ outcome: 'accepted' })
  }
  const names = (await boss.getQueues())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('webhook-inbox.'))
  for (const name of names) {
    expect(name).toMatch(/^webhook-inbox\.[\w.-]{1,190}$/)
  }
  const { rows } = await boss
    .getDb()
    .executeSql(
      `SELECT data->>'endpoint' AS endpoint, name FROM pgboss.job WHERE data->>'endpoint' = ANY ($1)`,
      [endpoints],
    )
  expect(new Set(rows.map(({ name }) => name)).size).toBe(endpoints.length)
})

it('keeps jobs that jsonb cannot hold', async () => {
  const { queue } = program('odd')
  const event = newEvent({}, { key: 'zero \0 and half \ud800', endpoint: 'odd' })
  const seen: Job[] = []
  const store = postgresStore({ pool })
  await queue.prepare?.('odd')
  await store.inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx))
  const stop = await queue.consume(
    { endpoint: 'odd', run: async (job) => void seen.push(job), markDead: async () => {} },
    store.inbox as never,
  )
  await eventually(async () => seen[0])
  await stop()
  expect(seen[0]?.key).toBe(event.key)
})

it('fails a job that is not its own, and runs the next one', async () => {
  const { sender, receiver } = program('foreign')
  await receiver.start()
  const queue = 'webhook-inbox.foreign'
  for (const data of [null, { text: 'no JSON' }, { text: 'null' }, { invoice: 7 }]) {
    await boss.send(queue, data as never, { retryLimit: 0 })
  }
  const ended = async () => (await jobs(queue)).rows.map(({ state }) => state)
  await expect.poll(ended, patiently).toEqual(Array(4).fill('failed'))
  expect(errors.map(String)).toEqual(
    Array(4).fill(expect.stringMatching(/job .* of the queue .* not sent by/)),
  )
  const { eventId } = await sender.send('transfer.settled')
  await expect.poll(async () => (await receiver.inspect(eventId as string))?.state, patiently).toBe('done')
})

it('finds its own jobs immediately, a replay included, without a search in between', async () => {
  const { sender, receiver } = program('own', { pollSeconds: 3600, sweepSeconds: 3600 })
  await receiver.start()
  const { eventId } = await sender.send('transfer.settled')
  const done = () => eventually(async () => ((await states(receiver))[0] === 'done' ? true : undefined))
  await done()
  await receiver.replay(eventId as string, { reason: 'a', actor: 'b' })
  await done()
  expect(await receiver.inspect(eventId as string)).toMatchObject({ generation: 1 })
})

it('adds no second job for an event that waits for a free slot', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const { sender, receiver } = program('waiting', { concurrency: 1, sweepSeconds: 0.2 }, () => opened)
  await receiver.start()
  for (let i = 0; i < 3; i++) {
    await sender.send('transfer.settled')
  }
  const jobCount = async () => (await jobs('webhook-inbox.waiting')).rows.length
  await eventually(async () => ((await jobCount()) > 3 ? true : undefined))
  await new Promise((resolve) => setTimeout(resolve, 1500))
  // Each of the two waiting events has its first job and one of the sweep.
  expect(await jobCount()).toBeLessThanOrEqual(5)
  open()
  const threeDone = 'done,done,done'
  await eventually(async () => ((await states(receiver)).join() === threeDone ? true : undefined))
})

it('joins the transactions of Kysely', async () => {
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  const run = (trx: Transaction<object>, text: string, values: readonly unknown[]) =>
    trx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
  const store = postgresStore<Transaction<object>>({
    transaction: (work) => db.transaction().execute(work),
    query: async (trx, text, values) => (await run(trx, text, values)).rows,
  })
  const queue = pgBossQueue<Transaction<object>>({ boss, pollSeconds: 0.1, onError, executeSql: run })
  const receiver = createReceiver({
    secret: testSecret,
    store,
    queue,
    endpoint: 'kysely',
    fallback() {},
    logger: false,
  })
  closing.push(() => receiver.stop())
  const event = newEvent({}, { endpoint: 'kysely' })
  await expect(
    store.inbox.accept(event, async (trx) => {
      await queue.enqueue?.(jobOf(event), trx)
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect((await jobs('webhook-inbox.kysely')).rows).toEqual([])
  await receiver.start()
  await testSender({ receiver }).send('transfer.settled')
  await eventually(async () => ((await states(receiver))[0] === 'done' ? true : undefined))
})

it('rejects a transaction that it cannot join', async () => {
  const queue = pgBossQueue({ boss, onError })
  const store = sqliteStore(newFile())
  const event = newEvent()
  await expect(
    store.inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx as never)),
  ).rejects.toMatchObject({ code: 'invalid_option', message: expect.stringContaining('executeSql') })
  await store.close()
})

it('runs a failed event immediately when an operator retries it', async () => {
  let runs = 0
  const retry = { firstPauseSeconds: 3600, longestPauseSeconds: 3600 }
  const { receiver, sender } = program('retried', { retry, sweepSeconds: 3600 }, async () => {
    runs++
    if (runs === 1) {
      throw new Error('the bank is down')
    }
  })
  await receiver.start()
  await sender.send('transfer.settled')
  await eventually(async () => ((await receiver.list({ state: 'failed' })).length > 0 ? true : undefined))
  const run = await receiver.run(await receiver.plan({ action: 'retryNow' }), {
    reason: 'it is up',
    actor: 'op',
  })
  await run.finished()
  await eventually(async () =>
    (await states(receiver)).every((state) => state === 'done') ? true : undefined,
  )
  expect(runs).toBe(2)
})

it('keeps one more job of an event, whatever number of its jobs came before its next attempt', async () => {
  const retry = { attempts: 2, firstPauseSeconds: 6 }
  const times: number[] = []
  const { queue, receiver, sender } = program('early', { retry, sweepSeconds: 3600 }, async () => {
    times.push(performance.now() / 1000)
    throw new Error('the bank is down')
  })
  await receiver.start()
  const { eventId = '' } = await sender.send('transfer.settled')
  const isFailed = async () =>
    (await receiver.list({ state: 'failed' })).find(({ failures }) => failures === 1)
  const { key, type, endpoint } = await eventually(isFailed)
  const client = await pool.connect()
  for (let i = 0; i < 3; i++) {
    await queue.enqueue?.({ key, type, endpoint, generation: 0, failures: 1 }, client as never)
  }
  client.release()
  queue.committed?.({ key, type, endpoint, generation: 0 })
  const inState = async (state: string) =>
    (await jobs('webhook-inbox.early')).rows.filter((row) => row.state === state).length
  await eventually(async () => (await inState('completed')) === 4 || undefined)
  expect([await inState('created'), await inState('active'), await inState('retry')]).toEqual([2, 0, 0])
  await eventually(async () => (await receiver.inspect(eventId))?.state === 'dead' || undefined)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2.9)
  expect(times).toHaveLength(2)
})

it('keeps at most two jobs of an event that waits for a limit of its type', async () => {
  const limits = { byType: { 'transfer.settled': { perSecond: 0.1 } } }
  const ran: number[] = []
  const handler = async () => void ran.push(performance.now())
  const { sender, receiver } = program('limited', { pollSeconds: 0.05, sweepSeconds: 0.2 }, handler, {
    limits,
  })
  await receiver.start()
  for (let i = 0; i < 4; i++) {
    await sender.send('transfer.settled')
  }
  const waiting = async () =>
    (await jobs('webhook-inbox.limited')).rows.filter(({ state }) => state === 'created')
  await eventually(async () => (await waiting()).length >= 3 || undefined)
  // Each search finds the events that wait. About twenty searches follow.
  await new Promise((resolve) => setTimeout(resolve, 4000))
  expect(ran).toHaveLength(1)
  expect((await waiting()).length).toBeLessThanOrEqual(6)
})
