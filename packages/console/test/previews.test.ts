import Libsql from 'libsql'
import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { plannedCauses } from '../src/views/planned-causes.js'
import type { PlanView } from '../src/wire.js'
import { eachStore } from './each-store.js'
import { all } from './every-right.js'
import { act, type Inbox, json, listen, type MakeStore, openInbox, sqlite, sqliteFile } from './rig.js'

interface Held {
  readonly id: string
  readonly data: { readonly owner: string }
}

/** Five dead events of two causes, with a name in the errors of one. */
async function openTwoCauses(makeStore: MakeStore): Promise<Inbox> {
  const handlers = {
    async 'account.held'({ data }: Held) {
      throw new Error(`the account of ${data.owner} is closed`)
    },
  }
  const inbox = await openInbox(makeStore, handlers, { attempts: 1 })
  for (let at = 0; at < 3; at++) {
    await inbox.send('transfer.failed', {}, `evt_failed_${at}`)
  }
  for (let at = 0; at < 2; at++) {
    await inbox.send('account.held', { owner: 'lovelace' }, `evt_held_${at}`)
  }
  await inbox.send('transfer.settled', {}, 'evt_done')
  await inbox.until(({ dead, done }) => dead === 5 && done === 1)
  return inbox
}

const serve = ({ receiver }: Inbox, over: object = {}) =>
  listen(consoleHandler(receiver, { ...all, ...over }))

const withRights = (...rights: readonly string[]) => ({
  authorize: (_: unknown, asked: string) => rights.includes(asked),
})

const preview = (url: string, body: object) => json<PlanView>(`${url}/api/plans`, act('', {}, body))

describe.each(eachStore())('a preview on %s', (_, makeStore) => {
  it('counts the events of each cause, the most first', async () => {
    const url = await serve(await openTwoCauses(makeStore))
    const { causes } = await preview(url, { action: 'replay' })
    expect(causes).toEqual({
      counted: 5,
      isCapped: false,
      rows: [
        { group: expect.any(String), title: expect.stringContaining('transfer.failed'), count: 3 },
        { group: expect.any(String), title: expect.stringContaining('lovelace'), count: 2 },
      ],
      rest: 0,
    })
    const held = await preview(url, { action: 'discard', where: { type: 'account.held' } })
    expect(held.causes?.rows).toMatchObject([{ count: 2 }])
    const group = causes?.rows[1]?.group as string
    expect(await preview(url, { action: 'replay', where: { group } })).not.toHaveProperty('causes')
    const done = await preview(url, { action: 'replay', where: { state: 'done' } })
    expect([done.count, done.causes]).toEqual([1, undefined])
  })

  it('names the operations that may change the same events and have not ended', async () => {
    const inbox = await openTwoCauses(makeStore)
    const { receiver } = inbox
    const url = await serve(inbox)
    const group = (await receiver.inspect('evt_held_0'))?.group as string
    const other = (await receiver.inspect('evt_failed_0'))?.group as string
    const audit = { reason: 'a test', actor: 'Anna', perSecond: 0.001 }
    const since = '2026-01-01T00:00:00Z'
    const ofCause = await receiver.run(await receiver.plan({ action: 'discard', where: { group } }), audit)
    const filter = { type: 'transfer.*', since: new Date(since), until: new Date('2101-01-01T00:00:00Z') }
    const ofFilter = await receiver.run(await receiver.plan({ action: 'replay', where: filter }), audit)
    const idsOf = async (body: object, at = url) => (await preview(at, body)).underWay.map(({ id }) => id)
    expect(await preview(url, { action: 'replay', where: { group, type: 'account.held' } })).toMatchObject({
      underWay: [{ id: ofCause.id, action: 'discard', actor: 'Anna', count: 2 }],
    })
    const named: readonly (readonly [object, readonly string[]])[] = [
      [{ action: 'replay' }, [ofFilter.id, ofCause.id]],
      [{ action: 'discard', where: { since } }, [ofFilter.id, ofCause.id]],
      [{ action: 'discard', where: { since, type: 'transfer.*', state: 'dead' } }, [ofFilter.id]],
      [{ action: 'replay', where: { type: 'transfer.failed' } }, [ofFilter.id]],
      [{ action: 'replay', where: { group: other } }, [ofFilter.id]],
      [{ action: 'replay', where: { type: 'account.*' } }, [ofCause.id]],
      [{ action: 'replay', where: { since: '2100-01-01T00:00:00Z' } }, []],
      [{ action: 'replay', where: { until: '2025-01-01T00:00:00Z' } }, []],
      [{ action: 'replay', where: { type: 'account.*', group: other } }, []],
      [{ action: 'replay', where: { state: 'done' } }, []],
      [{ action: 'replay', where: { type: 'transfer.settled' } }, []],
      [{ action: 'replay', where: { resource: 'another' } }, []],
      [{ action: 'retryNow' }, []],
    ]
    for (const [body, ids] of named) {
      expect([body, await idsOf(body)]).toEqual([body, ids])
    }
    const plan = { action: 'replay', where: { group } }
    const nameless = await preview(await serve(inbox, withRights('events:replay', 'events:read')), plan)
    expect(nameless.underWay).toMatchObject([{ id: ofCause.id }])
    expect(JSON.stringify(nameless)).not.toMatch(/Anna|a test/)
    expect(await idsOf(plan, await serve(inbox, withRights('events:replay', 'audits:read')))).toEqual([])
    await ofCause.cancel(audit)
    expect(await idsOf(plan)).toEqual([])
  })
})

it('shows no cause without the right to read events, and no masked value in its title', async () => {
  const inbox = await openTwoCauses(sqlite)
  const body = { action: 'replay' }
  expect(await preview(await serve(inbox, withRights('events:replay')), body)).not.toHaveProperty('causes')
  const masked = await preview(await serve(inbox, { mask: ['data.owner'] }), body)
  expect(masked.causes?.rows.map(({ count }) => count)).toEqual([3, 2])
  expect(masked.causes?.rows[1]?.title).toContain('•••')
  expect(JSON.stringify(masked)).not.toContain('lovelace')
})

it('counts at most 5,000 events, the oldest, and says so', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openTwoCauses(async () => store)
  const database = new Libsql(file)
  database.exec(`
    INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, endpoint, id, type, created_at,
      content_hash, last_error, failure_group, body)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 6000)
    SELECT key || n, state, queued, attempt, received_at - n, due_at, endpoint, id || n, type, created_at, content_hash,
      last_error, failure_group, body FROM webhook_inbox_events, numbers WHERE id = 'evt_held_0'`)
  database.close()
  const { count, causes } = await preview(await serve(inbox), { action: 'replay' })
  expect(count).toBe(6005)
  expect(causes).toMatchObject({ counted: 5000, isCapped: true, rows: [{ count: 5000 }], rest: 0 })
})

it('names ten causes, and sums the rest and the events whose cause is not kept', async () => {
  const events = Array.from({ length: 66 }, (_, at) => ({ group: `cause${Math.floor(Math.sqrt(2 * at))}` }))
  const { rows, rest } = await plannedCauses([...events, {}] as never, [], async () => [])
  expect(rows).toHaveLength(10)
  expect(rows[0]).toMatchObject({ group: 'cause10', title: 'A cause that is not kept any more' })
  expect(rows.map(({ count }) => count)).toEqual(rows.map(({ count }) => count).toSorted((a, b) => b - a))
  expect(rows.reduce((sum, { count }) => sum + count, rest)).toBe(67)
  expect(rest).toBeGreaterThan(1)
})
