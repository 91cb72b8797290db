import Libsql from 'libsql'
import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail, PlanView } from '../src/wire.js'
import { eachStore } from './each-store.js'
import { all } from './every-right.js'
import { act, type Inbox, json, listen, type MakeStore, openInbox, sqlite, sqliteFile } from './rig.js'

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

describe.each(eachStore())('the preview of a replay on %s', (_, makeStore) => {
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

it('takes events of the same millisecond in the order of their arrival', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store, {}, { attempts: 1 }, ofOwner)
  let at = 0
  for (const [id, type] of [
    ['evt_before', 'transfer.settled'],
    ['evt_dead_last', 'transfer.failed'],
  ] as const) {
    await inbox.send(type, { owner: 'lovelace' }, id)
    at += 1
    await inbox.until(({ done, dead }) => (done ?? 0) + (dead ?? 0) === at)
  }
  await inbox.send('transfer.failed', { owner: 'hopper' }, 'evt_dead_first')
  await inbox.until(({ dead }) => dead === 2)
  await inbox.send('transfer.settled', { owner: 'hopper' }, 'evt_after')
  await inbox.until(({ done }) => done === 2)
  const database = new Libsql(file)
  database.exec(
    'UPDATE webhook_inbox_events SET received_at = (SELECT max(received_at) FROM webhook_inbox_events)',
  )
  database.close()
  const url = await serve(inbox)
  expect(await preview(url, { action: 'replay' })).toMatchObject({ laterDone: { count: 1, lookedAt: 2 } })
  const detail = (id: string) => json<EventDetail>(`${url}/api/events/${id}`)
  expect(await detail('evt_dead_last')).not.toHaveProperty('laterDone')
  expect(await detail('evt_dead_first')).toMatchObject({ laterDone: 1 })
  expect(await detail('evt_after')).not.toHaveProperty('laterDone')
})
