import { afterAll, describe, expect, test } from 'vitest'
import type { Inbox } from '../../src/store/inbox.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newEvent, postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

const rig = postgresRig()
afterAll(removeFiles)

const audit = { reason: 'known to the bank\0', actor: 'suite' }
const body = new Uint8Array([1, 2, 3])
const delivery = (endpoint: string, bodyHash: string) =>
  ({ endpoint, code: 'invalid_json', bodyHash, body }) as const

async function fill(inbox: Inbox<never>) {
  const states: string[] = []
  for (const hash of ['a', 'b', 'c', 'a']) {
    states.push((await inbox.quarantine(delivery('full', hash))).state)
  }
  const other = await inbox.quarantine(delivery('other', 'a'))
  const kept = await inbox.quarantined({ endpoint: 'full' })
  return { states: [...states, other.state], kept: kept.map((each) => [each.bodyHash, each.deliveries]) }
}

const whenFull = {
  states: ['quarantined', 'quarantined', 'full', 'quarantined', 'quarantined'],
  kept: [
    ['b', 1],
    ['a', 2],
  ],
}

async function discardBoth(inbox: Inbox<never>) {
  const event = newEvent({}, { id: 'evt_discarded' })
  await inbox.acceptDead(event, 'invalid_data', 'data.amount')
  const [found] = await inbox.quarantined({ endpoint: 'full', limit: 1 })
  for (const key of [event.key, found?.key as string]) {
    expect(await inbox.discard(key, audit)).toBe(true)
  }
  return [
    { key: event.key, event_id: 'evt_discarded', code: 'invalid_data: data.amount' },
    { key: 'full/b', event_id: null, code: 'invalid_json' },
  ].map((each) => ({ ...each, reason: 'known to the bank\uFFFD', actor: 'suite' }))
}

/** Another operator, or a second click. */
async function discardTwice(inbox: Inbox<never>, endpoint: string) {
  await inbox.quarantine(delivery(endpoint, 'a'))
  const [{ key } = { key: '' }] = await inbox.quarantined({ endpoint })
  const discards = [await inbox.discard(key, audit, 3600), await inbox.discard(key, audit, 3600)]
  const undone = await inbox.bulk?.undo({ endpoint, key }, audit, 1)
  const audits = (await inbox.auditLog?.list({ endpoint, key }))?.map(({ action }) => action)
  return { discards, undone, audits, kept: (await inbox.quarantined({ endpoint })).length }
}

const keptForUndo = {
  discards: [true, false],
  undone: { found: 1, undone: 1 },
  audits: ['undo', 'discard'],
  kept: 1,
}

describe('the quarantine of an endpoint', () => {
  test('is limited on SQLite, and a discarded delivery leaves an audit', async () => {
    const path = newFile()
    const { inbox } = sqliteStore(path, { maxQuarantined: 2 })
    expect(await fill(inbox as never)).toEqual(whenFull)
    const discarded = await discardBoth(inbox as never)
    const sql = 'SELECT key, event_id, code, reason, actor FROM webhook_inbox_discards ORDER BY seq'
    expect(open(path).prepare(sql).all()).toMatchObject(discarded)
  })

  test('is limited on Postgres, and a discarded delivery leaves an audit', async () => {
    const { inbox } = postgresStore({ pool: rig.pool(), maxQuarantined: 2 })
    expect(await fill(inbox as never)).toEqual(whenFull)
    const discarded = await discardBoth(inbox as never)
    const sql = 'SELECT key, event_id, code, reason, actor FROM webhook_inbox.discards ORDER BY seq'
    expect(await rig.sql(sql)).toEqual(discarded)
  })

  test('has a limit that is a positive whole number', () => {
    for (const maxQuarantined of [0, -1, 1.5, Number.NaN, '2' as never]) {
      expect(() => sqliteStore(newFile(), { maxQuarantined })).toThrow(/maxQuarantined/)
      expect(() => postgresStore({ pool: rig.pool(), maxQuarantined })).toThrow(/maxQuarantined/)
    }
  })
})

test('a dead event whose handler still runs on SQLite is discarded when that has ended, and an error says so', async () => {
  const { inbox, once } = sqliteStore(newFile())
  const event = newEvent()
  await inbox.accept(event, async () => {})
  const busy = { code: 'store_unavailable', reason: 'busy', message: expect.stringMatching('worked on') }
  const running = once(event, async () => {
    await inbox.markDead(event.key, 'over its budget')
    await expect(inbox.discard(event.key, audit)).rejects.toMatchObject(busy)
    const seen = await inbox.read(event.key)
    await expect(inbox.discard(event.key, audit, 60, seen)).rejects.toMatchObject(busy)
    throw new Error('late')
  })
  await expect(running).rejects.toThrow('late')
  expect(await inbox.discard(event.key, audit)).toBe(true)
})

test.each(['twice', 'Überweisungen', '"quoted'])(
  'a delivery to %s is restored after a discard, also after a second one',
  async (endpoint) => {
    expect(await discardTwice(sqliteStore(newFile()).inbox as never, endpoint)).toEqual(keptForUndo)
    expect(await discardTwice(postgresStore({ pool: rig.pool() }).inbox as never, endpoint)).toEqual(
      keptForUndo,
    )
  },
)
