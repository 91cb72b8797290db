import PgBoss from 'pg-boss'
import { pgBossQueue } from 'webhook-inbox/queues/pg-boss'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { inTransaction } from '../../../test/servers/in-transaction.js'
import type { PostgresServer } from '../../../test/servers/postgres.js'
import { compare } from '../harness/compare.js'
import { atOnce } from '../harness/lanes.js'
import { timingsWithCpu } from '../harness/table.js'
import { newDatabase, newEvent } from './server.js'

/**
 * Compares accepts, which commit an event before the response, with the smallest program that keeps it. That is one INSERT
 * of id and body into a table with one index, on a pool of the size that is fastest here. With pg-boss, the program written
 * by hand is: BEGIN, that INSERT, `boss.send` through the same client, COMMIT.
 */
export async function benchAccept(server: PostgresServer, rounds: number): Promise<void> {
  const pool = await newDatabase(server, 20)
  await pool.query('CREATE TABLE plain (id text PRIMARY KEY, body bytea NOT NULL)')
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) } })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('by hand')
  const { inbox } = postgresStore({ pool })
  const queue = pgBossQueue({ boss })
  await queue.prepare?.(newEvent().endpoint)

  const plain = 'INSERT INTO plain (id, body) VALUES ($1, $2)'
  async function insertOne() {
    const { key, body } = newEvent()
    await pool.query(plain, [key, body])
  }
  async function accept() {
    const { state } = await inbox.accept(newEvent())
    if (state !== 'accepted') {
      throw new Error(state)
    }
  }
  function sendByHand() {
    const { key, body } = newEvent()
    return inTransaction(pool, async (client) => {
      await client.query(plain, [key, body])
      const db = { executeSql: (text: string, values: unknown[]) => client.query(text, values) }
      await boss.send('by hand', { key }, { db })
    })
  }
  async function acceptWithJob() {
    const event = newEvent()
    const { key, type, endpoint } = event
    const job = { key, type, endpoint, generation: 0 }
    const { state } = await inbox.accept(event, async (tx) => queue.enqueue?.(job, tx))
    if (state !== 'accepted') {
      throw new Error(state)
    }
  }

  for (const concurrency of [1, 10, 50, 200]) {
    const contenders = [
      atOnce(concurrency, 'pooled INSERT of one row', insertOne),
      atOnce(concurrency, 'accept, with localQueue', accept),
    ]
    const measured = await compare(contenders, { rounds, turnMilliseconds: 150 })
    timingsWithCpu(`an event accepted, ${concurrency} at once`, measured)
  }
  for (const concurrency of [1, 10, 50]) {
    const contenders = [
      atOnce(concurrency, 'by hand: BEGIN, INSERT, send, COMMIT', sendByHand),
      atOnce(concurrency, 'accept, with pgBossQueue', acceptWithJob),
    ]
    const measured = await compare(contenders, { rounds, turnMilliseconds: 150 })
    timingsWithCpu(`an event with its job, ${concurrency} at once`, measured)
  }
  await boss.stop({ graceful: false })
  await pool.end()
}
