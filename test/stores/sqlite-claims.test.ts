import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { FlowStore } from '../../src/store/flow-store.js'
import { type SqliteDatabase, sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { newEvent, nothing, open } from './sqlite-rig.js'

let database: SqliteDatabase
let store: ReturnType<typeof sqliteStore>
beforeEach(async () => {
  database = open(newFile())
  store = sqliteStore(database)
  await store.check()
})
afterAll(removeFiles)

const fail = () => Promise.reject(new Error('the bank is down'))
const bodyOf = async (key: string) => new TextDecoder().decode((await store.inbox.read(key))?.body)

/** The same event, as a sender with another serializer writes it. */
const inOtherBytes = (event: ReturnType<typeof newEvent>) => ({
  ...event,
  body: new TextEncoder().encode('the same content in other bytes'),
})

describe('an event that comes again in other bytes', () => {
  test('keeps the bytes that a queue accepted, which are those that were verified', async () => {
    const event = newEvent()
    await store.inbox.accept(event, nothing)
    expect((await store.once(inOtherBytes(event), nothing)).state).toBe('done')
    expect(await bodyOf(event.key)).toBe(`body of ${event.id}`)
  })

  test('keeps the bytes of its first attempt', async () => {
    const event = newEvent()
    await expect(store.once(event, fail)).rejects.toThrow('the bank is down')
    expect((await store.once(inOtherBytes(event), nothing)).state).toBe('done')
    expect(await bodyOf(event.key)).toBe(`body of ${event.id}`)
  })

  test('keeps the accepted bytes when it is kept as dead', async () => {
    const event = newEvent()
    await store.inbox.accept(event, nothing)
    const outcome = await store.inbox.acceptDead(inOtherBytes(event), 'invalid_data', 'data must have amount')
    expect(outcome).toEqual({ state: 'dead' })
    expect(await bodyOf(event.key)).toBe(`body of ${event.id}`)
  })
})

describe('the claim of an event', () => {
  const claimOf = (key: string) => (store.inbox.flow as FlowStore).claimOf(key)

  test('says since when a handler runs, and until when the event is reserved for it', async () => {
    const event = newEvent()
    const before = Date.now()
    await store.once(event, async () => {
      const claim = await claimOf(event.key)
      expect(claim.state).toBe('running')
      const { since = '', until = '' } = claim as { since?: string; until?: string }
      expect(Date.parse(since)).toBeGreaterThanOrEqual(before)
      expect(Date.parse(since)).toBeLessThanOrEqual(Date.now())
      expect(Date.parse(until)).toBeGreaterThan(Date.now())
    })
    expect(await claimOf(event.key)).toEqual({ state: 'free' })
  })

  test('has an unknown beginning if a version without times in its claims made it', async () => {
    const event = newEvent()
    let claim: unknown
    const outcome = store.once(event, async () => {
      const token = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'
      database.prepare('UPDATE webhook_inbox_events SET token = ? WHERE key = ?').run(token, event.key)
      claim = await claimOf(event.key)
    })
    expect((await outcome).state).toBe('lost')
    expect(claim).toMatchObject({ state: 'running', since: undefined })
  })
})

describe('a plan', () => {
  test('of a store without events has none', async () => {
    const plan = await store.inbox.bulk?.makePlan({
      id: 'plan',
      endpoint: 'mine',
      action: 'replay',
      where: {},
    })
    expect(plan).toMatchObject({ id: 'plan', count: 0 })
  })
})

describe('a group of failures', () => {
  const groups = async () => (await store.inbox.failures?.groups({ endpoint: 'default' })) ?? []

  test('shows its last failure to within seconds, and after a long rest', async () => {
    const [first, second] = [newEvent(), newEvent()]
    for (const event of [first, second]) {
      await store.inbox.accept(event, nothing)
    }
    await store.inbox.postpone(first.key, 60, 'Error: the bank is down')
    database.prepare('UPDATE webhook_inbox_failure_groups SET last_seen_at = ?').run(Date.now() - 3_600_000)
    await store.inbox.postpone(second.key, 60, 'Error: the bank is down')
    const [group] = await groups()
    expect(Date.now() - Date.parse(group?.lastSeenAt ?? '')).toBeLessThan(60_000)
  })

  test('says where the error was thrown, if its stack says so', async () => {
    const event = newEvent()
    await store.inbox.accept(event, nothing)
    await store.once(event, fail).catch(() => {})
    const [group] = await groups()
    expect(group?.place).toContain('sqlite-claims.test')
  })
})
