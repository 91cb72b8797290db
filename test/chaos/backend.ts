import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Inbox } from '../../src/store/inbox.js'
import { dedupeKey } from '../../src/store/key.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { startCommitCutter } from '../servers/commit-cutter.js'
import type { PostgresServer } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { startTcpProxy, type TcpProxy } from '../servers/tcp-proxy.js'
import { type Mode, type ModeName, modes, type ProcessSettings } from './modes.js'
import { openFile } from './process/open-store.js'

export interface Effect {
  readonly id: string
  readonly attempt: number
}

/** The storage of a world. The checker and the nemeses access it directly, not through the proxies. */
export interface Backend {
  readonly addresses: Pick<ProcessSettings, 'postgres' | 'redis' | 'sqlite'>
  /** The proxies between the processes and their servers. */
  readonly proxies: readonly TcpProxy[]
  /** While armed, breaks the connection instead of passing on the reply to COMMIT. */
  readonly commitCutter?: Awaited<ReturnType<typeof startCommitCutter>>
  readonly postgres?: PostgresServer
  readonly redis?: RedisServer
  readonly inbox?: Inbox<unknown>
  /** The effects of the handlers. Absent if the journal records them. */
  effects?(): Promise<Effect[]>
  /** Abandoned claims, and claims that last longer than their lease. `acknowledged` are ids. */
  leftovers(leaseSeconds: number, acknowledged: readonly string[]): Promise<string[]>
  sql?(text: string, values?: unknown[]): Promise<pg.QueryResult['rows']>
  close(): Promise<void>
}

/** `directory` is the folder for the files of SQLite or Redis. Default: a temporary one. */
export async function openBackend(
  name: ModeName,
  postgres: PostgresServer,
  directory?: string,
): Promise<Backend> {
  const mode: Mode = modes[name]
  if (mode.store === 'sqlite') {
    return sqliteBackend(directory)
  }
  if (mode.store === 'redis') {
    return redisBackend(directory)
  }
  const backend = await postgresBackend(postgres)
  if (mode.queue !== 'bullmq') {
    return backend
  }
  const broker = await redisBackend()
  return {
    ...backend,
    addresses: { ...backend.addresses, ...broker.addresses },
    proxies: [...backend.proxies, ...broker.proxies],
    ...(broker.redis && { redis: broker.redis }),
    async close() {
      await broker.close()
      await backend.close()
    },
  }
}

let worlds = 0

async function postgresBackend(server: PostgresServer): Promise<Backend> {
  const url = await server.createDatabase(`chaos_${process.pid}_${worlds++}`)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => {})
  await migratePostgres(pool)
  await pool.query(
    'CREATE TABLE effects (id text NOT NULL, attempt int NOT NULL, at timestamptz NOT NULL DEFAULT now())',
  )
  const proxy = await startTcpProxy(server.port)
  const commitCutter = await startCommitCutter(proxy.port)
  const sql = async (text: string, values?: unknown[]) => (await pool.query(text, values)).rows
  return {
    addresses: { postgres: url.replace(`:${server.port}/`, `:${commitCutter.port}/`) },
    proxies: [proxy],
    commitCutter,
    postgres: server,
    inbox: postgresStore({ pool }).inbox as Inbox<unknown>,
    sql,
    effects: () => sql('SELECT id, attempt FROM effects'),
    async leftovers(leaseSeconds) {
      const rows = await sql(
        `SELECT pid, state, (now() - xact_start)::text AS age, left(query, 60) AS query FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND xact_start < now() - make_interval(secs => $1)`,
        [2 * leaseSeconds],
      )
      return rows.map((row) => `a transaction is still open: ${JSON.stringify(row)}`)
    },
    async close() {
      await pool.end()
      await commitCutter.close()
      await proxy.close()
    },
  }
}

function sqliteBackend(parent = tmpdir()): Backend {
  const directory = mkdtempSync(join(parent, 'webhook-inbox-chaos-'))
  const path = join(directory, 'inbox.db')
  const database = openFile(path)
  const store = sqliteStore(database)
  database.exec('CREATE TABLE effects (id TEXT NOT NULL, attempt INTEGER NOT NULL)')
  const all = <Row>(sql: string, ...values: number[]) => database.prepare(sql).all(...values) as Row[]
  return {
    addresses: { sqlite: path },
    proxies: [],
    inbox: store.inbox as Inbox<unknown>,
    effects: async () => all<Effect>('SELECT id, attempt FROM effects'),
    async leftovers(leaseSeconds) {
      const sql = `SELECT id, state, attempt FROM webhook_inbox_events
        WHERE state NOT IN ('done', 'dead') AND token IS NOT NULL AND lease_until < ?`
      const rows = all<object>(sql, Date.now() - leaseSeconds * 1000)
      return rows.map((row) => `a claim is left over: ${JSON.stringify(row)}`)
    },
    async close() {
      database.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function redisBackend(dir?: string): Promise<Backend> {
  // Acknowledged writes must survive a kill. With `everysec` Redis loses some if it is killed while the disk is slow.
  const server = await startRedis({ appendonly: 'yes', appendfsync: 'always', ...(dir && { dir }) })
  const proxy = await startTcpProxy(server.port)
  const client = new Redis(server.port, { retryStrategy: () => 100 })
  client.on('error', () => {})
  return {
    addresses: { redis: proxy.port },
    proxies: [proxy],
    redis: server,
    async leftovers(leaseSeconds, acknowledged) {
      const left: string[] = []
      const keys = new Set(await Promise.all(acknowledged.map((id) => dedupeKey('default', id))))
      for (const key of await client.keys('webhook-inbox:*')) {
        const [hash, token, until] = await client.hmget(key, 'h', 't', 'u')
        if (hash || !token) {
          continue
        }
        const past = (Date.now() - Number(until)) / 1000
        // The claim of a process that died is free, and stays until a delivery takes it over. A sender that has given up
        // sends none.
        const isOpen = past > leaseSeconds && keys.has(key.slice('webhook-inbox:'.length))
        if (isOpen || past < -leaseSeconds) {
          left.push(`a claim is left over: ${key} until ${until}`)
        }
      }
      return left
    },
    async close() {
      client.disconnect()
      await proxy.close()
      await server.close()
    },
  }
}
