import { expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('concurrent accepts commit their jobs together, one after the other, each with its event', async () => {
  const { inbox } = postgresStore({ pool: rig.pool() })
  let running = 0
  const transactions = new Set<string>()
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () =>
      inbox.accept(newEvent(), async (tx) => {
        expect(++running).toBe(1)
        const { rows } = await tx.query('SELECT txid_current()::text AS id')
        transactions.add((rows[0] as { id: string }).id)
        running--
      }),
    ),
  )
  expect(outcomes).toEqual(Array(10).fill({ state: 'accepted' }))
  expect(transactions.size).toBe(1)
})

test('if the queue rejects one job, only that event is not accepted', async () => {
  const { inbox } = postgresStore({ pool: rig.pool() })
  const events = Array.from({ length: 5 }, () => newEvent())
  const settled = await Promise.allSettled(
    events.map((event, at) =>
      inbox.accept(event, async () => {
        if (at === 2) {
          throw new RangeError('the queue is full')
        }
      }),
    ),
  )
  expect(settled.map(({ status }) => status)).toEqual(
    events.map((_, at) => (at === 2 ? 'rejected' : 'fulfilled')),
  )
  expect(settled[2]).toMatchObject({ reason: new RangeError('the queue is full') })
  const kept = await Promise.all(events.map(({ key }) => inbox.read(key)))
  expect(kept.map((event) => event?.state)).toEqual(
    events.map((_, at) => (at === 2 ? undefined : 'accepted')),
  )
})
