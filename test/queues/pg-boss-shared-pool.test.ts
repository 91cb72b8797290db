import pg from 'pg'
import PgBoss from 'pg-boss'
import { expect, it } from 'vitest'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import { createReceiver } from '../../src/receiver.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { startPostgres } from '../servers/postgres.js'

it('accepts the first burst on a pool that pg-boss shares, before start()', async () => {
  const server = await startPostgres()
  const pool = new pg.Pool({ connectionString: server.url, max: 3 })
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) } })
  boss.on('error', () => {})
  try {
    await migratePostgres(pool)
    await boss.start()
    const store = postgresStore({ pool })
    const receiver = createReceiver({
      secret: testSecret,
      store,
      queue: pgBossQueue({ boss }),
      fallback: () => {},
    })
    const sender = testSender({ receiver })
    const answers = await Promise.all(Array.from({ length: 20 }, () => sender.send('transfer.settled')))
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']))
    await receiver.stop()
  } finally {
    await boss.stop({ graceful: false })
    await pool.end()
    await server.close()
  }
})
