import { afterAll, describe, expect, test } from 'vitest'
import type { EventRef } from '../../src/store/event-ref.js'
import type { Inbox } from '../../src/store/inbox.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newEvent, postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'

const rig = postgresRig()
afterAll(removeFiles)

const audit = { reason: 'the bank is back', actor: 'suite' }

/** The sender delivers the event of this id, and its handler fails until the event is dead. */
async function deliver(inbox: Inbox<never>, event: EventRef) {
  expect(await inbox.accept(event, async () => {})).toEqual({ state: 'accepted' })
  await inbox.markDead(event.key, 'the bank is down')
}

const replay = (inbox: Inbox<never>, { key }: EventRef) => inbox.requeue(key, audit, async () => {})

async function replayInBulk({ bulk }: Inbox<never>, { endpoint, key }: EventRef) {
  const plan = await bulk?.makePlan({ id: `plan-${key}`, endpoint, action: 'replay', where: { key } })
  const run = await bulk?.startRun({ id: `run-${key}`, plan: plan?.id ?? '', perSecond: 1, canary: 0 }, audit)
  await bulk?.takeRun(endpoint, key, 60)
  const options = { most: 1, leaseSeconds: 60, undoSeconds: 0 }
  const step = await bulk?.step(run?.id ?? '', key, options, async () => {})
  return step?.run.applied
}

describe.each([
  ['SQLite', () => sqliteStore(newFile()).inbox],
  ['Postgres', () => postgresStore({ pool: rig.pool() }).inbox],
])('on %s an event that was replayed and discarded', (_store, open) => {
  test('is replayed again after its sender has delivered it again', async () => {
    const inbox = open() as unknown as Inbox<never>
    const event = newEvent({}, {})
    await deliver(inbox, event)
    expect(await replay(inbox, event)).toBe(1)
    await inbox.markDead(event.key, 'the bank is down')
    expect(await inbox.discard(event.key, audit)).toBe(true)
    await deliver(inbox, event)
    expect(await replay(inbox, event)).toBe(1)
    await inbox.markDead(event.key, 'the bank is down')
    expect(await inbox.discard(event.key, audit)).toBe(true)
    await deliver(inbox, event)
    expect(await replayInBulk(inbox, event)).toBe(1)
  })
})
