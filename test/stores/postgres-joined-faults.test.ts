import { sql } from 'drizzle-orm'
import { CompiledQuery, type Transaction } from 'kysely'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { HandlerFailure, StoreError } from '../../src/errors.js'
import { isRefusedCommit } from '../../src/stores/postgres/connection/postgres-fault.js'
import { type PostgresStore, postgresStore, type Row } from '../../src/stores/postgres.js'
import { startCommitCutter } from '../servers/commit-cutter.js'
import { inTransaction } from '../servers/in-transaction.js'
import {
  type DrizzleTx,
  onDrizzle,
  onKysely,
  quiet,
  rig,
  startJoinedRig,
  type Tables,
  written,
} from './postgres-joined-rig.js'
import { newEvent } from './postgres-rig.js'

startJoinedRig()

function onClients(
  run: (client: PoolClient, text: string, values: readonly unknown[]) => Promise<{ rows: Row[] }>,
) {
  const pool = quiet()
  return postgresStore<PoolClient>({
    transaction: (work) => inTransaction(pool, work),
    query: async (client, text, values) => (await run(client, text, values)).rows,
  })
}

describe.each([
  ['Kysely', () => onKysely() as PostgresStore<unknown>],
  ['Drizzle', () => onDrizzle() as PostgresStore<unknown>],
] as const)('joined to %s', (_, makeStore) => {
  test('an event whose handler catches an error of the database is not done', async () => {
    const store = makeStore()
    const event = newEvent()
    const swallowed = store.once(event, async ({ tx }) => {
      const trx = tx as unknown as Partial<Transaction<Tables>> & DrizzleTx
      const failing = trx.executeQuery?.(CompiledQuery.raw('SELECT 1/0', [])) ?? trx.execute(sql`SELECT 1/0`)
      await Promise.resolve(failing).catch(() => {})
    })
    await expect(swallowed).rejects.toThrow(HandlerFailure)
    expect((await store.inbox.read(event.key))?.state).toBe('failed')
  })

  test('a handler that outlives its lease has no effect', async () => {
    const store = makeStore()
    const event = newEvent({ leaseSeconds: 1, workSeconds: 0.2 })
    const late = store.once(event, () => new Promise((resolve) => setTimeout(resolve, 1500)))
    await expect(late).rejects.toThrow()
    expect((await store.once(event, async () => {})).state).toBe('done')
  })
})

test('pages through every event with a driver that converts timestamps to dates, as postgres.js does', async () => {
  const { inbox } = onClients((client, text, values) => {
    const dated = (value: unknown, i: number) =>
      text.includes(`$${i + 1}::timestamptz`) ? new Date(String(value)).toISOString() : value
    return client.query<Row>(text, values.map(dated))
  })
  const endpoint = newEvent().key
  const events = Array.from({ length: 5 }, () => newEvent({}, { endpoint }))
  for (const event of events) {
    await inbox.accept(event)
  }
  const listed: string[] = []
  for (let after: string | undefined; listed.length < 6; after = listed.at(-1)) {
    const [event] = await inbox.list({ endpoint, limit: 1, ...(after && { after }) })
    if (!event) {
      break
    }
    listed.push(event.key)
  }
  expect(listed).toEqual(events.map(({ key }) => key))
})

test('a batch with a known event is accepted over a library that hides error codes', async () => {
  const { inbox } = onClients(async (client, text, values) => {
    try {
      return await client.query<Row>(text, [...values])
    } catch (error) {
      throw new Error((error as Error).message)
    }
  })
  const known = newEvent()
  await inbox.accept(known)
  const batch = [known, newEvent(), newEvent()]
  const outcomes = (await Promise.all(batch.map((event) => inbox.accept(event)))).map(({ state }) => state)
  expect(outcomes).toEqual(['duplicate', 'accepted', 'accepted'])
})

test('a lost reply to COMMIT is no handler failure, and the event is a duplicate', async () => {
  const cutter = await startCommitCutter(rig.server.port)
  try {
    const store = onKysely({ connectionString: rig.url.replace(`:${rig.server.port}`, `:${cutter.port}`) })
    const [event, word] = [newEvent(), newEvent().key]
    cutter.arm(true)
    const unknown = store.once(event, async ({ tx }) => {
      await tx.insertInto('words').values({ word }).execute()
    })
    await expect(unknown).rejects.toThrow(StoreError)
    expect(cutter.cuts()).toBeGreaterThan(0)
    cutter.arm(false)
    expect((await store.once(event, async () => {})).state).toBe('duplicate')
    expect(await written()).toContain(word)
  } finally {
    await cutter.close()
  }
})

test.each([
  ['08006', 'a broken connection', false],
  ['53100', 'a full disk', false],
  ['57P01', 'a server that shuts down', false],
  ['EPIPE', 'a broken pipe', false],
  [undefined, 'a driver’s own fault', false],
  ['23503', 'a foreign key', true],
  ['P0001', 'a trigger', true],
  ['P2034', 'Prisma: a conflict or a deadlock', true],
  ['P2028', 'Prisma: the transaction is closed, or took too long', false],
  ['P1017', 'Prisma: the server has closed the connection', false],
])('%s, %s: the handler is to blame for a commit that fails so: %s', (code, said, isRefused) => {
  const cause = Object.assign(new Error(said), { code })
  expect(isRefusedCommit(cause)).toBe(isRefused)
  expect(isRefusedCommit(new Error('wrapped', { cause }))).toBe(isRefused)
})
