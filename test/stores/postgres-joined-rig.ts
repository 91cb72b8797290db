import { sql } from 'drizzle-orm'
import { drizzle, type NodePgTransaction } from 'drizzle-orm/node-postgres'
import knex, { type Knex } from 'knex'
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import type pg from 'pg'
import type { PoolClient } from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll } from 'vitest'
import { postgresStore, type Row } from '../../src/stores/postgres.js'
import { postgresRig } from './postgres-rig.js'

/** Stores that join the transactions of other libraries. */

export let rig: ReturnType<typeof postgresRig>

export interface Tables {
  words: { word: string }
}

/** Starts a server for the tests of a file. Files that share a worker load this module once, so each calls it. */
export function startJoinedRig(): void {
  rig = postgresRig()
  beforeAll(async () => {
    await rig.sql('CREATE TABLE words (word text PRIMARY KEY)')
  })
  afterAll(() => Promise.all(ends.splice(0).map((end) => end())))
}

export const written = async () => (await rig.sql('SELECT word FROM words')).map(({ word }) => word)

export function onKysely(options: pg.PoolConfig = {}) {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: quiet(options) }) })
  return postgresStore<Transaction<Tables>>({
    transaction: (work) => db.transaction().execute(work),
    query: async (trx, text, values) =>
      (await trx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows,
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the schema is of no account here.
export type DrizzleTx = NodePgTransaction<Record<string, never>, any>

export function onDrizzle() {
  const db = drizzle(quiet())
  return postgresStore<DrizzleTx>({
    transaction: (work) => db.transaction(work),
    query: async (tx, text, values) => {
      const parts = text
        .split(/\$(\d+)/)
        .map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`))
      return (await tx.execute(sql.join(parts))).rows
    },
  })
}

const ends: (() => Promise<unknown>)[] = []

export function onKnex() {
  const pool = { min: 0, max: 10, idleTimeoutMillis: 500 }
  const db = knex({ client: 'pg', connection: rig.url, pool })
  ends.push(() => db.destroy())
  return postgresStore<Knex.Transaction>({
    transaction: (work) => db.transaction(work),
    query: async (trx, text, values) => {
      const connection: PoolClient = await trx.client.acquireConnection()
      return (await connection.query(text, [...values])).rows
    },
  })
}

export function onPostgresJs() {
  const client = postgres(rig.url, { idle_timeout: 1 })
  ends.push(() => client.end({ timeout: 1 }))
  return postgresStore<postgres.TransactionSql>({
    transaction: (work) => client.begin(work),
    query: (tx, text, values) => tx.unsafe(text, values as postgres.ParameterOrJSON<never>[]),
  })
}

/** These libraries own the pool, so they handle its `error` events, and those of a client that a lease ends. */
export function quiet(options: pg.PoolConfig = {}) {
  const pool = rig.pool({ max: 10, ...options })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
