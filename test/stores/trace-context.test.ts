import { afterAll, describe, expect, test } from 'vitest'
import type { Inbox } from '../../src/store/inbox.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newEvent, postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'

const rig = postgresRig()
afterAll(removeFiles)

const stores: [name: string, make: () => Inbox<never>][] = [
  ['SQLite', () => sqliteStore(newFile()).inbox as Inbox<never>],
  ['Postgres', () => postgresStore({ pool: rig.pool() }).inbox as Inbox<never>],
]
const traceContext = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const nothing = async () => {}
const audit = { reason: 'the bank corrected it', actor: 'suite' }

describe.each(stores)('the trace context of an event on %s', (_, make) => {
  test('is kept by an accept with a job and by one without', async () => {
    const inbox = make()
    for (const enqueue of [nothing, undefined]) {
      const event = newEvent({}, { traceContext })
      await inbox.accept(event, enqueue)
      expect((await inbox.read(event.key))?.traceContext).toBe(traceContext)
    }
  })

  test('is absent where the event was accepted without one, also among others in one batch', async () => {
    const inbox = make()
    const [plain, traced] = [newEvent(), newEvent({}, { traceContext })] as const
    await Promise.all([inbox.accept(plain), inbox.accept(traced)])
    expect(await inbox.read(plain.key)).not.toHaveProperty('traceContext')
    expect((await inbox.read(traced.key))?.traceContext).toBe(traceContext)
  })

  test('is what a worker and a replay find', async () => {
    const inbox = make()
    const endpoint = `endpoint of ${newEvent().key}`
    const event = newEvent({}, { traceContext, endpoint })
    await inbox.accept(event, nothing)
    expect((await inbox.due(10, endpoint)).map((each) => each.traceContext)).toEqual([traceContext])
    await inbox.markDead(event.key, 'failed')
    await inbox.requeue(event.key, audit, nothing)
    expect((await inbox.read(event.key))?.traceContext).toBe(traceContext)
  })

  test('is replaced where an event that failed in a request is accepted', async () => {
    const store = _ === 'SQLite' ? sqliteStore(newFile()) : postgresStore({ pool: rig.pool() })
    const event = newEvent()
    const failing = async () => Promise.reject(new Error('not now'))
    await expect(store.once(event, failing)).rejects.toThrow('not now')
    expect(await store.inbox.accept({ ...event, traceContext }, nothing)).toEqual({ state: 'accepted' })
    expect((await store.inbox.read(event.key))?.traceContext).toBe(traceContext)
  })
})

test('a trace context that is no string is rejected before it reaches a driver', async () => {
  for (const [, make] of stores) {
    const event = newEvent({}, { traceContext: 7 as never })
    await expect(make().accept(event, nothing)).rejects.toMatchObject({ code: 'invalid_option' })
  }
})
