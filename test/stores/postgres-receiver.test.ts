import type { PoolClient } from 'pg'
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { fixture, tamper, testSecret, testSender } from '../../src/testing/index.js'
import { postgresRig } from './postgres-rig.js'

const rig = postgresRig()

beforeAll(async () => {
  await rig.sql('CREATE TABLE credits (transfer text NOT NULL, event text NOT NULL)')
})

const credits = async (event: string) =>
  (await rig.sql('SELECT count(*)::int AS n FROM credits WHERE event = $1', [event]))[0].n

/** A receiver whose handler writes in the transaction of the store, and then runs the given function. */
function makeReceiver(then: () => unknown = () => {}) {
  const receiver = createReceiver({
    secret: testSecret,
    store: postgresStore({ pool: rig.pool() }),
    logger: false,
    handlers: {
      async 'transfer.settled'({ id, data }, { tx }) {
        expectTypeOf(tx).toEqualTypeOf<PoolClient>()
        await tx.query('INSERT INTO credits VALUES ($1, $2)', [data.transferId, id])
        await then()
      },
    },
  })
  return { receiver, sender: testSender({ receiver }) }
}

describe('a receiver on Postgres', () => {
  test('acknowledges after the effect and the done mark committed together', async () => {
    const { receiver, sender } = makeReceiver()
    await receiver.start()
    expect(receiver.describe()).toMatch(
      /store: postgres .* survive a process crash: yes; .* effect and mark commit together/,
    )
    const settled = await sender.send('transfer.settled')
    const { id } = settled.delivery.event
    expect(settled).toMatchObject({ status: 200, outcome: 'processed' })
    expect(await credits(id)).toBe(1)
    expect(await receiver.inspect(id)).toMatchObject({ id, state: 'done', attempt: 1 })
    expect(await sender.redeliver(settled)).toMatchObject({ status: 200, outcome: 'duplicate' })
    expect(await credits(id)).toBe(1)
  })

  test('rolls back the writes of a failed handler, and runs it again', async () => {
    let isBroken = true
    const { receiver, sender } = makeReceiver(() => {
      if (isBroken) {
        throw new RangeError('no such wallet')
      }
    })
    const failed = await sender.send('transfer.settled')
    const { id } = failed.delivery.event
    expect(failed).toMatchObject({ status: 500, code: 'handler_failed' })
    expect(await credits(id)).toBe(0)
    expect(await receiver.inspect(id)).toMatchObject({
      state: 'failed',
      attempt: 1,
      lastError: 'RangeError: no such wallet',
    })
    isBroken = false
    expect(await sender.redeliver(failed)).toMatchObject({ status: 200, outcome: 'processed' })
    expect(await credits(id)).toBe(1)
    expect((await receiver.health()).counts.failed).toBe(0)
  })

  test('keeps the signed bytes of an event whose handler overwrites them and fails', async () => {
    const receiver = createReceiver({
      secret: testSecret,
      store: postgresStore({ pool: rig.pool() }),
      logger: false,
      fallback({ raw }) {
        raw.fill(32)
        throw new RangeError('no such wallet')
      },
    })
    const { headers, body, event } = await fixture('transfer.settled', { secret: testSecret })
    const signed = Buffer.from(body)
    const answer = await receiver.receive({ headers, body: Buffer.from(body) })
    expect(answer).toMatchObject({ status: 500, code: 'handler_failed' })
    expect(Buffer.from((await receiver.inspect(event.id))?.body ?? [])).toEqual(signed)
  })

  test('runs one of a hundred concurrent deliveries on two receivers', async () => {
    const [here, there] = [makeReceiver(), makeReceiver()]
    const delivery = await fixture('transfer.settled', { secret: testSecret })
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (i % 2 ? here : there).sender.deliver(delivery)),
    )
    const outcomes = answers.map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'processed')).toHaveLength(1)
    expect(new Set(outcomes)).toEqual(new Set(['processed', 'duplicate']))
    expect(await credits(delivery.event.id)).toBe(1)
  })

  test('quarantines unreadable deliveries, and other content with a known id', async () => {
    const { receiver, sender } = makeReceiver()
    const settled = await sender.send('transfer.settled')
    const { id } = settled.delivery.event
    const other = await fixture('transfer.settled', { secret: testSecret, id, data: { rail: 'another' } })
    expect(await sender.deliver(other)).toMatchObject({
      status: 200,
      outcome: 'quarantined',
      code: 'event_id_conflict',
    })
    expect(await credits(id)).toBe(1)
    expect(await sender.deliver(tamper.body(settled.delivery))).toMatchObject({ status: 401 })
    expect(await receiver.quarantined()).toMatchObject([
      { code: 'event_id_conflict', eventId: id, deliveries: 1 },
    ])
  })

  test('answers 503 and writes nothing when the tables are missing', async () => {
    const receiver = createReceiver({
      secret: testSecret,
      store: postgresStore({ pool: rig.pool(), schema: 'not_there' }),
      logger: false,
      fallback: () => {},
    })
    await expect(receiver.start()).rejects.toMatchObject({ code: 'store_not_migrated' })
    const answer = await testSender({ receiver }).send('transfer.settled')
    expect(answer).toMatchObject({ status: 503, code: 'store_unavailable' })
  })
})
