import Libsql from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres.js'
import { consoleHandler } from '../src/index.js'
import type { PlanView } from '../src/wire.js'
import { all } from './every-right.js'
import {
  act,
  type Inbox,
  json,
  listen,
  type MakeStore,
  openInbox,
  postgres,
  sqlite,
  sqliteFile,
} from './rig.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.close())

const stores: readonly (readonly [string, MakeStore])[] = [
  ['SQLite', sqlite],
  ['Postgres', postgres(() => server.url)],
]

interface Owned {
  readonly data: { readonly owner?: string }
}

const ofOwner = { resource: ({ data }: Owned) => data.owner }

/** Of four dead events, two have a later done event of their resource, one has an earlier one, and one has no resource. */
async function openOwners(makeStore: MakeStore): Promise<Inbox> {
  const inbox = await openInbox(makeStore, {}, { attempts: 1 }, ofOwner)
  const counts = { done: 0, dead: 0 }
  const sent = async (state: 'done' | 'dead', owner?: string) => {
    counts[state] += 1
    const type = state === 'done' ? 'transfer.settled' : 'transfer.failed'
    await inbox.send(type, { ...(owner !== undefined && { owner }) }, `evt_${state}_${counts[state]}`)
    await inbox.until(({ done, dead }) => done === counts.done && dead === counts.dead)
  }
  await sent('done', 'lovelace')
  await sent('dead', 'lovelace')
  await sent('dead', 'hopper')
  await sent('dead', 'hopper')
  await sent('dead')
  await sent('done', 'hopper')
  await sent('done')
  return inbox
}

const serve = ({ receiver }: Inbox, over: object = {}) =>
  listen(consoleHandler(receiver, { ...all, ...over }))

const preview = (url: string, body: object) => json<PlanView>(`${url}/api/plans`, act('', {}, body))

describe.each(stores)('the preview of a replay on %s', (_, makeStore) => {
  it('counts the events after which a later event of their resource is done', async () => {
    const inbox = await openOwners(makeStore)
    const url = await serve(inbox)
    const every = await preview(url, { action: 'replay' })
    expect(every).toMatchObject({ count: 4, laterDone: { count: 2, lookedAt: 4, isCapped: false } })
    const group = (await inbox.receiver.inspect('evt_dead_2'))?.group as string
    expect(await preview(url, { action: 'replay', where: { group } })).toMatchObject({
      laterDone: every.laterDone,
    })
    const ofOne = await preview(url, { action: 'replay', where: { resource: 'lovelace' } })
    expect(ofOne.laterDone).toEqual({ count: 0, lookedAt: 1, isCapped: false })
    // Each is the newest of its resource: an event is not later than itself.
    const done = await preview(url, { action: 'replay', where: { state: 'done' } })
    expect(done.laterDone).toMatchObject({ count: 0, lookedAt: 3 })
    expect(await preview(url, { action: 'discard' })).not.toHaveProperty('laterDone')
  })
})

it('counts without the right to read events, and behind a mask, without naming a resource', async () => {
  const inbox = await openOwners(sqlite)
  const authorize = (_: unknown, asked: string) => asked === 'events:replay'
  const found = await preview(await serve(inbox, { authorize, mask: ['data.owner'] }), { action: 'replay' })
  expect(found).toMatchObject({ sample: [], laterDone: { count: 2 } })
  expect(JSON.stringify(found)).not.toMatch(/hopper|lovelace/)
})

/** Adds dead events before the others, each of the resource that `resource` says in SQL. */
async function withOlder(count: number, resource: string): Promise<PlanView> {
  const { store, file } = await sqliteFile()
  const inbox = await openOwners(async () => store)
  const database = new Libsql(file)
  database.exec(`
    INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, endpoint, id, type, created_at,
      content_hash, last_error, failure_group, resource, body)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${count})
    SELECT key || n, state, queued, attempt, received_at - n, due_at, endpoint, id || n, type, created_at, content_hash,
      last_error, failure_group, ${resource}, body FROM webhook_inbox_events, numbers WHERE id = 'evt_dead_2'`)
  database.close()
  return preview(await serve(inbox), { action: 'replay' })
}

it('looks at the oldest 1,000 events, and says so', async () => {
  const { count, laterDone } = await withOlder(2000, 'resource')
  expect(count).toBe(2004)
  expect(laterDone).toEqual({ count: 1000, lookedAt: 1000, isCapped: true })
})

it('looks at the events of at most 200 resources, and says so', async () => {
  const { laterDone } = await withOlder(900, "'owner ' || (n % 300)")
  expect(laterDone).toEqual({ count: 0, lookedAt: 200, isCapped: true })
})
