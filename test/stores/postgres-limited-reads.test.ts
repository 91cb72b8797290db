import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

/** The ways to send a statement, which must not show in what comes back. */
const ways = [
  ['in one round trip', {}, {}],
  ['with a client in pipeline mode', { pipeline: true }, {}],
  ['with pipelining: false', {}, { pipelining: false }],
] as const

describe.each(ways)('a read %s', (_, options, settings) => {
  const newStore = () => postgresStore({ pool: rig.pool({ ...options, max: 1 }), ...settings })

  test('returns an event with each of its columns, or undefined', async () => {
    const { inbox, once } = newStore()
    const resource = `"${randomUUID()}"`
    const event = newEvent({}, { resource, body: new Uint8Array([0, 255, 92]) })
    await inbox.accept(event)
    const failing = once({ ...event, isKept: true, seen: { attempt: 0, generation: 0, failures: 0 } }, () =>
      Promise.reject(new Error('no')),
    )
    await expect(failing).rejects.toThrow('no')
    const stored = await inbox.read(event.key)
    expect(stored).toMatchObject({
      key: event.key,
      resource,
      state: 'failed',
      attempt: 1,
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      attempts: [{ attempt: 1, error: 'Error: no' }],
    })
    expect([...(stored?.body ?? [])]).toEqual([0, 255, 92])
    expect(await inbox.read('unknown')).toBeUndefined()
  })

  test('ends when it has waited too long for a lock, and leaves its connection usable', async () => {
    const { inbox } = newStore()
    const event = newEvent()
    await inbox.accept(event)
    const locker = new pg.Client({ connectionString: rig.url })
    await locker.connect()
    onTestFinished(() => locker.end())
    await locker.query('BEGIN; LOCK TABLE webhook_inbox.events')
    await expect(inbox.read(event.key)).rejects.toThrow(/another transaction holds a lock/)
    await locker.query('ROLLBACK')
    expect(await inbox.read(event.key)).toMatchObject({ state: 'accepted' })
  })
})
