import pg from 'pg'
import PgBoss from 'pg-boss'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createReceiver, type Limits } from '../../src/index.js'
import type { Job } from '../../src/queue/queue.js'
import { type PgBossQueueOptions, pgBossQueue } from '../../src/queues/pg-boss.js'
import type { EventRef } from '../../src/store/event-ref.js'
import { migratePostgres, postgresStore } from '../../src/stores/postgres.js'
import { testSecret } from '../../src/testing/delivery.js'
import { testSender } from '../../src/testing/sender.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { removeFiles } from '../stores/sqlite-files.js'

/** A Postgres and a pg-boss for the tests of a file, and receivers whose jobs pg-boss keeps. */

export let server: PostgresServer
export let pool: pg.Pool
export let boss: PgBoss
export const errors: unknown[] = []
export const closing: (() => Promise<unknown>)[] = []
export const onError = (error: unknown) => void errors.push(error)

/** Registers the hooks of a file. Call it once at the top, because the files of a worker share this module. */
export function openPgBoss(): void {
  beforeAll(async () => {
    server = await startPostgres()
  })
  beforeEach(async () => {
    errors.length = 0
    pool = new pg.Pool({ connectionString: server.url, max: 10 })
    await migratePostgres(pool)
    boss = new PgBoss({
      connectionString: server.url,
      max: 3,
      schedule: false,
      maintenanceIntervalSeconds: 1,
    })
    boss.on('error', () => {})
    await boss.start()
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) {
      await close()
    }
    await boss.stop({ graceful: false })
    await pool.end()
  })
  afterAll(async () => {
    removeFiles()
    await server?.close()
  })
}

export const jobs = (queue: string) =>
  boss.getDb().executeSql(
    `SELECT *, extract(epoch FROM expire_in) AS expire, keep_until - now() > interval '9 years' AS is_kept
     FROM pgboss.job WHERE name = $1 ORDER BY created_on`,
    [queue],
  )

export function program(
  endpoint: string,
  options: Partial<PgBossQueueOptions> = {},
  handler: () => Promise<void> = async () => {},
  flow: { readonly limits?: Limits } = {},
) {
  const queue = pgBossQueue({ boss, pollSeconds: 0.1, onError, ...options })
  const receiver = createReceiver({
    secret: testSecret,
    store: postgresStore({ pool }),
    queue,
    endpoint,
    fallback: handler,
    leaseSeconds: 2,
    logger: false,
    ...flow,
  })
  closing.push(() => receiver.stop())
  return { queue, receiver, sender: testSender({ receiver }) }
}

export const states = (receiver: ReturnType<typeof createReceiver>) =>
  receiver.list().then((events) => events.map(({ state }) => state))

export const jobOf = ({ key, type, endpoint }: EventRef): Job => ({ key, type, endpoint, generation: 0 })
