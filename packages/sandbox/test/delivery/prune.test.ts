import { describe, expect, it } from 'vitest'
import { chaosSettings, writeChaos } from '../../src/delivery/chaos.js'
import { listDeliveries } from '../../src/delivery/deliveries.js'
import { listEvents } from '../../src/delivery/events.js'
import { prune, retained } from '../../src/delivery/prune.js'
import { deliveryRig, type Rig, receiver, settled } from './rig.js'

const count = ({ database }: Rig, table: string) =>
  (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count

async function rigWith(events: number, answerBytes = 0) {
  const rig = deliveryRig({ retrySeconds: [] })
  const { url } = await receiver((response) => response.end(Buffer.alloc(answerBytes, 'x')))
  rig.subscribe({ url, events: ['*'] })
  rig.record(...Array.from({ length: events }, (_, i) => settled(`tr_${i}`)))
  await rig.courier.idle()
  return rig
}

describe('pruning', () => {
  it('keeps the newest attempts', async () => {
    const rig = await rigWith(20)
    prune(rig.database, { ...retained, attempts: 5 })
    const rows = rig.database.prepare('SELECT seq FROM attempts ORDER BY seq').all() as { seq: number }[]
    expect(rows.map(({ seq }) => seq)).toEqual([16, 17, 18, 19, 20])
    expect(count(rig, 'deliveries')).toBe(20)
  })

  it('keeps the newest attempts that fit into the bytes', async () => {
    const rig = await rigWith(20, 10_000)
    prune(rig.database, { ...retained, attemptBytes: 50_000 })
    expect(count(rig, 'attempts')).toBe(4)
  })

  it('deletes no attempt more than it must', async () => {
    const rig = await rigWith(4)
    rig.database.prepare('UPDATE attempts SET size = 100').run()
    prune(rig.database, { ...retained, attemptBytes: 200 })
    expect(count(rig, 'attempts')).toBe(2)
    prune(rig.database, { ...retained, attemptBytes: 199 })
    expect(count(rig, 'attempts')).toBe(1)
  })

  it('keeps the newest deliveries that have ended, with their attempts', async () => {
    const rig = await rigWith(20)
    prune(rig.database, { ...retained, deliveries: 5 })
    expect([count(rig, 'events'), count(rig, 'deliveries'), count(rig, 'attempts')]).toEqual([20, 5, 5])
    expect(listDeliveries(rig.database, { limit: 9 }).map(({ seq }) => seq)).toEqual([20, 19, 18, 17, 16])
  })

  it('keeps the newest events, with their deliveries and attempts', async () => {
    const rig = await rigWith(20)
    prune(rig.database, { ...retained, events: 5 })
    expect([count(rig, 'events'), count(rig, 'deliveries'), count(rig, 'attempts')]).toEqual([5, 5, 5])
  })

  it('never deletes a pending delivery or its event', async () => {
    const rig = await rigWith(5)
    const [pending] = rig.record({ ...settled(), delaySeconds: 3600 })
    rig.record(...Array.from({ length: 5 }, () => settled()))
    await rig.courier.idle()
    prune(rig.database, { events: 0, deliveries: 0, attempts: 0, attemptBytes: 0 })
    expect(listEvents(rig.database, { limit: 9 }).map(({ id }) => id)).toEqual([pending?.id])
    expect(listDeliveries(rig.database, { limit: 9 }).map(({ eventId }) => eventId)).toEqual([pending?.id])
  })

  it('happens by itself once in 500 attempts', async () => {
    const rig = deliveryRig({ retrySeconds: [] })
    writeChaos(rig.database, chaosSettings.parse({ all: { drop: { probability: 1 } } }))
    rig.subscribe({ url: 'http://127.0.0.1:9/', events: ['*'] })
    const attempt = async (times: number) => {
      rig.record(...Array.from({ length: times }, () => settled()))
      await rig.courier.idle()
    }
    await attempt(1)
    rig.database
      .prepare(
        `WITH RECURSIVE copy (nth) AS (SELECT 1 UNION ALL SELECT nth + 1 FROM copy WHERE nth < ?)
         INSERT INTO attempts (delivery_id, number, started_at, size, record)
         SELECT delivery_id, number + nth, started_at, size, record FROM attempts, copy`,
      )
      .run(retained.attempts)
    await attempt(498)
    expect(count(rig, 'attempts')).toBe(retained.attempts + 499)
    await attempt(1)
    expect(count(rig, 'attempts')).toBe(retained.attempts)
  })

  it('changes nothing within the bounds', async () => {
    const rig = await rigWith(20)
    prune(rig.database)
    expect([count(rig, 'events'), count(rig, 'deliveries'), count(rig, 'attempts')]).toEqual([20, 20, 20])
  })
})
