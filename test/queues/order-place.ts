import { Queue, Worker } from 'bullmq'
import pg from 'pg'
import PgBoss from 'pg-boss'
import type { WebhookEvent } from '../../src/event/event.js'
import type { Queue as QueuePort } from '../../src/queue/queue.js'
import { bullmqQueue } from '../../src/queues/bullmq.js'
import { localQueue } from '../../src/queues/local.js'
import { pgBossQueue } from '../../src/queues/pg-boss.js'
import type { Inbox } from '../../src/store/inbox.js'
import type { Store } from '../../src/store/store.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'

/** The location of a store and a queue, for every process that shares them. */
export interface Place {
  readonly engine: 'local' | 'pg-boss' | 'bullmq'
  /** The url of a Postgres, or the path of an SQLite file. */
  readonly events: string
  readonly redisPort?: number
  /** How many attempts an event has. Default 100. */
  readonly attempts?: number
  /** Default 1. */
  readonly sweepSeconds?: number
}

interface Opened {
  readonly store: Store<unknown> & { readonly inbox?: Inbox<unknown> }
  readonly queue: QueuePort
  close(): Promise<void>
}

const onError = () => {}

export async function openOrdered(place: Place): Promise<Opened> {
  const { engine, events, redisPort, attempts = 100, sweepSeconds = 1 } = place
  const retry = { attempts, firstPauseSeconds: 0.1, longestPauseSeconds: 0.5 }
  if (engine === 'local') {
    const store = sqliteStore(events)
    const queue = localQueue({ retry, pollSeconds: 0.1, onError })
    return { store: store as Store<unknown>, queue, close: () => store.close() }
  }
  const pool = new pg.Pool({ connectionString: events, max: 8 })
  const store = postgresStore({ pool }) as Store<unknown>
  const common = { retry, takeOverSeconds: 2, sweepSeconds, onError }
  if (engine === 'bullmq') {
    const connection = { host: '127.0.0.1', port: redisPort }
    return {
      store,
      queue: bullmqQueue({ Queue, Worker, connection, ...common }),
      close: () => pool.end(),
    }
  }
  const boss = new PgBoss({
    connectionString: events,
    max: 3,
    schedule: false,
    maintenanceIntervalSeconds: 1,
  })
  await boss.start()
  return {
    store,
    queue: pgBossQueue({ boss, pollSeconds: 0.1, ...common }) as QueuePort,
    async close() {
      await boss.stop({ graceful: false })
      await pool.end()
    },
  }
}

/** Returns the resource of an event: the part of the transfer id before the slash. */
export const resourceOf = ({ data }: WebhookEvent) =>
  (data as { transferId: string }).transferId.split('/')[0]
