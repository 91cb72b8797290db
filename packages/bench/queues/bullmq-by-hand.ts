import { createHash } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import type pg from 'pg'
import { limiting, savepoint } from '../../../src/stores/postgres/connection/transactions.js'
import { claimTerms, limitsOfKept } from '../../../src/stores/postgres/events/claim-terms.js'
import { statements } from '../../../src/stores/postgres/events/statements.js'
import { inTransaction } from '../../../test/servers/in-transaction.js'
import type { PostgresServer } from '../../../test/servers/postgres.js'
import { newDatabase } from '../postgres/server.js'
import { newEvent, newInbox } from './by-hand.js'
import { concurrency, type Engine } from './engine.js'

/** What a program by hand does with its own table. */
interface Table {
  readonly pool: pg.Pool
  insert(event: { readonly id: string; readonly body: Uint8Array }): Promise<unknown>
  /** Runs an event in a transaction that marks it as done. */
  run(id: string): Promise<void>
  left(): Promise<number>
}

/** The simplest inbox, and a worker of BullMQ. The job is added after the commit. */
export async function bareBullMq(server: PostgresServer, redisPort: number): Promise<Engine> {
  const { pool, insert, run, left } = await newInbox(server)
  const table: Table = {
    pool,
    insert: ({ id, body }) => pool.query(insert, [id, body]),
    run: (id) => inTransaction(pool, (client) => run(client, id)),
    left,
  }
  return engineOf('by hand: BullMQ', table, redisPort)
}

/**
 * The same program with the table and the transaction of our store. Its claim counts the attempt, and sets the limits. A savepoint tells
 * whether the handler has ended the transaction. It sends one statement after another, as pg does.
 */
export async function sameBullMq(server: PostgresServer, redisPort: number): Promise<Engine> {
  const pool = await newDatabase(server, concurrency + 3)
  const sql = statements('webhook_inbox')
  const limits = limitsOfKept(durations)
  const keyOf = (id: string) => createHash('sha256').update(id).digest('hex')
  const table: Table = {
    pool,
    insert({ id, body }) {
      const facts = [id, 'transfer.settled', new Date().toISOString(), keyOf(`${id} content`), body]
      return pool.query(sql.acceptUnseen, [keyOf(id), 'default', ...facts, null, null])
    },
    async run(id) {
      const client = await pool.connect()
      try {
        await client.query(`BEGIN; ${limiting(limits)}`)
        const values = [keyOf(id), ...claimTerms(durations)]
        const { rows } = await client.query({ name: 'take', text: sql.takeAlone, values })
        await client.query(`SAVEPOINT ${savepoint}`)
        JSON.parse(Buffer.from(rows[0].body, 'hex').toString('utf8'))
        await client.query(`RELEASE SAVEPOINT ${savepoint}; COMMIT`)
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      } finally {
        client.release()
      }
    },
    async left() {
      const { rows } = await pool.query(
        "SELECT count(*)::int AS count FROM webhook_inbox.events WHERE state <> 'done'",
      )
      return rows[0].count
    },
  }
  return engineOf('by hand: BullMQ, the same transaction', table, redisPort)
}

/** The defaults of a receiver, in seconds. */
const durations = { leaseSeconds: 60, retentionSeconds: 90 * 86_400, workSeconds: 10, waitSeconds: 2 }

let engines = 0

function engineOf(name: string, { pool, insert, run, left }: Table, redisPort: number): Engine {
  const connection = new Redis(redisPort, { maxRetriesPerRequest: null })
  const options = { connection, prefix: `bare${++engines}` }
  const queue = new Queue('events', options)
  let worker: Worker | undefined

  return {
    name,
    async accept() {
      const { id, body } = newEvent()
      await insert({ id, body })
      await queue.add('event', { id }, { removeOnComplete: true })
    },
    async start(ran) {
      worker = new Worker<{ id: string }>(
        'events',
        async ({ data }) => {
          await run(data.id)
          ran()
        },
        { ...options, concurrency },
      )
      await worker.waitUntilReady()
    },
    async stop() {
      await worker?.close()
    },
    left,
    async close() {
      await queue.close()
      connection.disconnect()
      await pool.end()
    },
  }
}
