import { sql } from 'drizzle-orm'
import { drizzle, type NodePgTransaction } from 'drizzle-orm/node-postgres'
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import type pg from 'pg'
import { beforeAll } from 'vitest'
import { postgresStore, type Row } from '../../src/stores/postgres.js'
import { postgresRig } from './postgres-rig.js'

/** Stores that join the transactions of Kysely and of Drizzle. */

export const rig = postgresRig()

export interface Tables {
  words: { word: string }
}

beforeAll(async () => {
  await rig.sql('CREATE TABLE words (word text PRIMARY KEY)')
})
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

/** These libraries own the pool, so they handle its `error` events, and those of a client that a lease ends. */
export function quiet(options: pg.PoolConfig = {}) {
  const pool = rig.pool({ max: 10, ...options })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
