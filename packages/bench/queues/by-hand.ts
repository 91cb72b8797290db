import { createHmac, timingSafeEqual } from 'node:crypto'
import type pg from 'pg'
import PgBoss from 'pg-boss'
import { inTransaction } from '../../../test/servers/in-transaction.js'
import type { PostgresServer } from '../../../test/servers/postgres.js'
import { bodyOf, headerOf, secret } from '../harness/bodies.js'
import { newDatabase } from '../postgres/server.js'
import { concurrency, type Engine } from './engine.js'

let events = 0

/** A delivery, verified and parsed as a team writes it. Signing it costs both sides the same. */
export const newEvent = () => {
  const body = bodyOf(1000, `evt_${process.pid}_${++events}`)
  const [time, signature] = headerOf(body)
    .split(',')
    .map((part) => part.slice(part.indexOf('=') + 1))
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  if (!timingSafeEqual(Buffer.from(signature as string, 'hex'), expected)) {
    throw new Error('the signature does not match')
  }
  const { id } = JSON.parse(new TextDecoder().decode(body)) as { id: string }
  return { id, body }
}

/** An inbox as a team writes it: one table, and one transaction in which the handler runs and the event is marked done. */
export async function newInbox(server: PostgresServer) {
  const pool = await newDatabase(server, concurrency + 3)
  await pool.query('CREATE TABLE inbox (id text PRIMARY KEY, body bytea NOT NULL, done_at timestamptz)')
  await pool.query('CREATE INDEX ON inbox (id) WHERE done_at IS NULL')
  const insert = 'INSERT INTO inbox (id, body) VALUES ($1, $2) ON CONFLICT DO NOTHING'
  const done = 'UPDATE inbox SET done_at = now() WHERE id = $1 AND done_at IS NULL RETURNING body'

  async function run(client: pg.PoolClient, id: string): Promise<void> {
    const { rows } = await client.query(done, [id])
    JSON.parse(rows[0].body.toString('utf8'))
  }

  async function left(): Promise<number> {
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM inbox WHERE done_at IS NULL')
    return rows[0].count
  }

  return { pool, insert, run, left }
}

/** Lanes that run one event after another. Where `next` finds none, its lane waits until it is woken. */
function lanes(next: (ran: () => void) => Promise<boolean>) {
  let wake: () => void = () => {}
  let woken = Promise.resolve()
  let isOver = false
  let running: Promise<void>[] = []

  function rearm(): void {
    woken = new Promise((resolve) => {
      wake = resolve
    })
  }

  async function lane(ran: () => void): Promise<void> {
    while (!isOver) {
      // An event that is accepted during the search counts.
      const waiting = woken
      if (!(await next(ran)) && !isOver) {
        await waiting
      }
    }
  }

  return {
    async start(ran: () => void) {
      isOver = false
      rearm()
      running = Array.from({ length: concurrency }, () => lane(ran))
    },
    async stop() {
      isOver = true
      wake()
      await Promise.all(running)
    },
    wake() {
      wake()
      rearm()
    },
  }
}

/** Lanes that take the next row with FOR UPDATE SKIP LOCKED. */
export async function skipLocked(server: PostgresServer): Promise<Engine> {
  const { pool, insert, left } = await newInbox(server)
  const next = `UPDATE inbox SET done_at = now() WHERE id = (
    SELECT id FROM inbox WHERE done_at IS NULL LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING body`
  const { start, stop, wake } = lanes((ran) =>
    inTransaction(pool, async (client) => {
      const { rows } = await client.query(next)
      if (rows[0]) {
        JSON.parse(rows[0].body.toString('utf8'))
        ran()
      }
      return rows.length > 0
    }),
  )

  return {
    name: 'by hand: FOR UPDATE SKIP LOCKED',
    async accept() {
      const { id, body } = newEvent()
      await pool.query(insert, [id, body])
      wake()
    },
    start,
    stop,
    left,
    close: () => pool.end(),
  }
}

/**
 * Lanes that fetch one job of pg-boss, run it and complete it. `boss.work` waits for its interval after each batch, so it would
 * drain a backlog far slower.
 */
export async function barePgBoss(server: PostgresServer): Promise<Engine> {
  const { pool, insert, run, left } = await newInbox(server)
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) } })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('events')

  const { start, stop, wake } = lanes(async (ran) => {
    const [job] = await boss.fetch<{ id: string }>('events', { batchSize: 1 })
    if (job) {
      await inTransaction(pool, (client) => run(client, job.data.id))
      ran()
      await boss.complete('events', job.id)
    }
    return job !== undefined
  })

  return {
    name: 'by hand: pg-boss',
    async accept() {
      const { id, body } = newEvent()
      await inTransaction(pool, async (client) => {
        await client.query(insert, [id, body])
        const db = { executeSql: (text: string, values: unknown[]) => client.query(text, values) }
        await boss.send('events', { id }, { db })
      })
      wake()
    },
    start,
    stop,
    left,
    async close() {
      await boss.stop({ graceful: false })
      await pool.end()
    },
  }
}
