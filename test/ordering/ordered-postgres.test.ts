import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ordered } from '../../src/ordering/ordered.js'
import { createReceiver } from '../../src/receiver.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { shuffle } from '../../src/testing/shuffle.js'
import { randomNumbers } from '../event/random.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { postgresStates } from './order-tables.js'
import { type Event, type Transfer, transfers } from './transfer-events.js'

describe('on Postgres, in the transaction of the store', () => {
  let server: PostgresServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await startPostgres()
    pool = new pg.Pool({ connectionString: server.url, max: 8 })
    pool.on('error', () => {})
    await migratePostgres(pool)
  }, 60_000)
  afterAll(async () => {
    await pool.end()
    await server.close()
  })

  test('concurrent deliveries in any order lead to the same state, and a step rolls back with its handler', async () => {
    const table = await postgresStates(pool)
    await pool.query('CREATE TABLE effects (transfer text, state text, UNIQUE (transfer, state))')
    let failures = 0
    const store = postgresStore({ pool })
    const receiver = createReceiver({
      secret: testSecret,
      store,
      logger: false,
      fallback: ordered(
        {
          lifecycle: transfers,
          resource: ({ data }: Event) => data.transferId,
          state: ({ data }: Event) => data.status,
          states: table.states,
          onConflict: ({ resource }, { tx }) => table.dispute(resource, tx),
        },
        async (event: Event, { tx, attempt }) => {
          const { transferId, status } = event.data
          await tx.query('INSERT INTO effects VALUES ($1, $2)', [transferId, status])
          if (attempt === 1 && failures < 20) {
            failures++
            throw new Error('once')
          }
        },
      ) as never,
    })
    await receiver.start()
    const sender = testSender<{ 'transfer.moved': Transfer }>({ receiver })
    const random = randomNumbers(3)
    for (let round = 0; round < 25; round++) {
      const events = someEvents(random)
      const ends = new Set<string>()
      for (let order = 0; order < 3; order++) {
        const transferId = `tr_${round}_${order}`
        await Promise.all(
          shuffle(events, round * 3 + order).map(async ({ id, status }) => {
            const delivery = await sender.prepare(
              'transfer.moved',
              { transferId, status },
              {
                id: `evt_${transferId}-${id}`,
              },
            )
            for (let tries = 0; (await sender.deliver(delivery)).status !== 200; tries++) {
              expect(tries).toBeLessThan(50)
            }
          }),
        )
        const end = await table.find(transferId)
        ends.add(end?.disputed ? 'disputed' : (end?.state ?? 'none'))
      }
      expect([...ends], JSON.stringify(events)).toHaveLength(1)
    }
    expect(failures).toBe(20)
    await receiver.stop()
  }, 60_000)

  function someEvents(random: () => number) {
    return transfers.states.filter(() => random() < 0.5).map((status) => ({ status, id: status }))
  }
})
