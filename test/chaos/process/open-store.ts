import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { leaseStore } from '../../../src/store/lease.js'
import type { Store } from '../../../src/store/store.js'
import { PipelinedQuery } from '../../../src/stores/postgres/pipelining/pipelined-query.js'
import { postgresStore } from '../../../src/stores/postgres.js'
import { redisLeases } from '../../../src/stores/redis.js'
import { type SqliteDatabase, type SqliteTx, sqliteStore } from '../../../src/stores/sqlite.js'
import { modes, type ProcessSettings } from '../modes.js'
import { isAlone } from './is-alone.js'
import type { Journal } from './journal.js'
import type { Strikes } from './strikes.js'

/** A store with a possible strike around each step, and the function that writes the effect of a handler. */
export interface OpenedStore {
  readonly store: Store<unknown>
  /** Resolves to false if another live transaction is in the handler of the same event. */
  enter?(tx: unknown, id: string): Promise<boolean>
  effect(tx: unknown, id: string, attempt: number): Promise<void>
  /** Takes every connection for some time. */
  hog?(seconds: number): Promise<void>
}

/** The commit in progress. */
const isAccepting = new AsyncLocalStorage<boolean>()

export async function openStore(
  settings: ProcessSettings,
  strikes: Strikes,
  journal: Journal,
): Promise<OpenedStore> {
  const opened = await open[modes[settings.mode].store](settings, strikes)
  const { store } = opened
  const { inbox } = store
  const struck: Store<unknown> = {
    ...store,
    once(event, work) {
      strikes.reach('before the claim', event.id)
      journal.write({ what: 'claims', id: event.id })
      return store.once(event, (context) => {
        strikes.reach('after the claim', event.id)
        return work(context)
      })
    },
    ...(inbox && {
      inbox: {
        ...inbox,
        accept(event, enqueue) {
          strikes.reach('before the acceptance', event.id)
          return isAccepting.run(true, () => inbox.accept(event, enqueue))
        },
      },
    }),
  }
  return { ...opened, store: struck }
}

const committing = (strikes: Strikes) => ({
  before: () =>
    strikes.reach(isAccepting.getStore() ? 'before the commit of the acceptance' : 'before the commit'),
  after: () =>
    strikes.reach(isAccepting.getStore() ? 'after the commit of the acceptance' : 'after the commit'),
})

const open = { postgres: openPostgres, sqlite: openSqlite, redis: openRedis }

// Import clients only when needed, because a process that is killed often must start fast.
async function openPostgres(settings: ProcessSettings, strikes: Strikes): Promise<OpenedStore> {
  const { default: pg } = await import('pg')
  const commit = committing(strikes)
  const pool = new pg.Pool({
    connectionString: settings.postgres,
    max: settings.poolSize,
    connectionTimeoutMillis: 2000,
    // Detects a half-open connection earlier than the store, which allows for slow statements.
    query_timeout: 3000,
  })
  pool.on('connect', (client) => {
    // This strike is between the store and its server, where no handler runs.
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = (async (...args: unknown[]) => {
      if (args[0] instanceof PipelinedQuery) {
        return query(committingAlone(args[0], commit))
      }
      if (!String(args[0]).endsWith('COMMIT')) {
        return query(...args)
      }
      commit.before()
      const answer = await query(...args)
      commit.after()
      return answer
    }) as typeof client.query
  })

  return {
    store: postgresStore({ pool }) as Store<unknown>,
    enter: (tx, id) => isAlone(tx as pg.PoolClient, id),
    async effect(tx, id, attempt) {
      await (tx as pg.PoolClient).query('INSERT INTO effects (id, attempt) VALUES ($1, $2)', [id, attempt])
    },
    async hog(seconds) {
      const ignore = () => {}
      const takeOne = async () => {
        const client = await pool.connect()
        client.on('error', ignore)
        await sleep(seconds * 1000)
        client.off('error', ignore)
        client.release()
      }
      await Promise.allSettled(Array.from({ length: settings.poolSize }, takeOne))
    },
  }
}

/** The INSERT commits events without a job by itself. A transaction with BEGIN commits later. */
function committingAlone(statement: PipelinedQuery, commit: ReturnType<typeof committing>): PipelinedQuery {
  if (statement.steps.length > 1) {
    return statement
  }
  commit.before()
  const { callback } = statement
  const after = AsyncLocalStorage.snapshot()
  statement.callback = (error, rows) => {
    if (!error) {
      after(commit.after)
    }
    callback(error, rows)
  }
  return statement
}

async function openSqlite({ sqlite = '' }: ProcessSettings, strikes: Strikes): Promise<OpenedStore> {
  const database = openFile(sqlite)
  const prepare = database.prepare.bind(database)
  const commit = committing(strikes)
  database.prepare = (sql) => {
    const statement = prepare(sql)
    if (sql !== 'COMMIT') {
      return statement
    }
    return {
      all: (...values) => statement.all(...values),
      run() {
        commit.before()
        const answer = statement.run()
        commit.after()
        return answer
      },
    }
  }
  return {
    store: sqliteStore(database) as Store<unknown>,
    async effect(tx, id, attempt) {
      const { write } = tx as SqliteTx
      write.call(tx, (database) => {
        database.prepare('INSERT INTO effects (id, attempt) VALUES (?, ?)').run(id, attempt)
      })
    },
  }
}

type Driver = new (path: string) => SqliteDatabase

/** Uses `node:sqlite` if Node has it. */
export function openFile(path: string): SqliteDatabase {
  const builtIn = process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: Driver } | undefined
  const Database: Driver = builtIn?.DatabaseSync ?? createRequire(import.meta.url)('libsql')
  return new Database(path)
}

async function openRedis(settings: ProcessSettings, strikes: Strikes): Promise<OpenedStore> {
  const { redis = 0, sentinels, minReplicas = 0 } = settings
  const { Redis } = await import('ioredis')
  const address = sentinels
    ? { name: 'inbox', sentinels: sentinels.map((port) => ({ host: '127.0.0.1', port })) }
    : { port: redis }
  const client = new Redis({
    ...address,
    socketTimeout: 2000,
    maxRetriesPerRequest: 1,
    retryStrategy: () => 100,
  })
  client.on('error', () => {})
  const leases = redisLeases({ client, minReplicas })
  const commit = committing(strikes)
  const store = leaseStore({
    ...leases,
    async complete(...mark) {
      commit.before()
      const answer = await leases.complete(...mark)
      commit.after()
      return answer
    },
  })
  // The effect is the journal itself, which is never rolled back.
  return { store: store as Store<unknown>, effect: async () => {} }
}
