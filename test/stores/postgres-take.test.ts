import { describe, expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

/** Takes an accepted event. Returns it, and its reference for `once`. */
async function taken(store: ReturnType<typeof rig.store>) {
  const event = newEvent()
  await store.inbox.accept(event)
  const before = await store.inbox.read(event.key)
  const found = await store.inbox.take?.(event, event.durations)
  if (!found) {
    throw new Error('the event was not taken')
  }
  return { before, found: found.event, ref: { ...event, isKept: true, claim: found.claim }, event }
}

describe.each([[true], [false]])('with pipelining: %s', (pipelining) => {
  test('an event is taken as read returns it', async () => {
    const { found, before, ref } = await taken(postgresStore({ pool: rig.pool(), pipelining }))
    expect(found).toEqual(before)
    await ref.claim.release()
  })
})

test('work does not begin if its connection was lost since the claim', async () => {
  const store = rig.store()
  const { ref } = await taken(store)
  await rig.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'`)
  await expect
    .poll(() => rig.sql(`SELECT FROM pg_stat_activity WHERE state = 'idle in transaction'`))
    .toEqual([])
  let runs = 0
  const run = store.once(ref, async () => {
    runs++
  })
  await expect(run).rejects.toMatchObject({ name: 'StoreError' })
  expect(runs).toBe(0)
})

test('a claim runs its event while another worker of this process waits for it', async () => {
  const store = rig.store()
  const { ref, event } = await taken(store)
  const other = store.once({ ...event, isKept: true }, async () => 'other')
  const outcome = await store.once(ref, async () => 'taken')
  expect(outcome).toMatchObject({ state: 'done', value: 'taken' })
  await other
})

test('an event with a damaged row keeps no connection', async () => {
  const store = rig.store()
  const event = newEvent()
  await store.inbox.accept(event)
  await rig.sql(`UPDATE webhook_inbox.events SET trace_context = '"abc' WHERE key = $1`, [event.key])
  await expect(store.inbox.take?.(event, event.durations)).rejects.toThrow(SyntaxError)
  expect(
    await rig.sql(
      `SELECT FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()`,
    ),
  ).toEqual([])
})
