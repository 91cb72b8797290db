import { createHash } from 'node:crypto'
import pg from 'pg'
import { migratePostgres } from 'webhook-inbox/stores/postgres'
import type { EventRef } from '../../../src/store/event-ref.js'
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres.js'
import { bodyOf } from '../harness/bodies.js'

/**
 * Starts a server that flushes every commit. It runs no checkpoint by itself, because a checkpoint slows random statements.
 * A bench that requests a checkpoint then reuses existing log files, as a server does that has run for a while.
 */
export async function startServer(): Promise<PostgresServer> {
  return startPostgres({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    shared_buffers: '512MB',
    max_wal_size: '8GB',
    min_wal_size: '8GB',
    checkpoint_timeout: '1h',
  })
}

/** Returns a pool on a new database with the tables of the store and one for the handlers. */
export async function newDatabase(server: PostgresServer, max: number): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await server.createDatabase(`bench_${++databases}`), max })
  await migratePostgres(pool)
  await pool.query('CREATE TABLE effects (id text NOT NULL)')
  return pool
}

let databases = 0

const durations = { leaseSeconds: 60, retentionSeconds: 90 * 86_400, workSeconds: 10, waitSeconds: 2 }
const body = bodyOf(1000)

/** Returns an event as a receiver passes it to its store. Keys are hashes, so they arrive in random order. */
export function newEvent(): EventRef {
  const id = `evt_${process.pid}_${++events}`
  const key = createHash('sha256').update(`default\0${id}`).digest('hex')
  const contentHash = key
  const of = { endpoint: 'default', id, type: 'transfer.settled', createdAt: '2026-01-02T03:04:05Z' }
  return { key, contentHash, durations, body, ...of }
}

let events = 0
