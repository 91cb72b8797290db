import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue as QueuePort } from '../../../src/queue/queue.js'
import { bullmqQueue } from '../../../src/queues/bullmq.js'
import { localQueue } from '../../../src/queues/local.js'
import { pgBossQueue } from '../../../src/queues/pg-boss.js'
import { modes, type ProcessSettings } from '../modes.js'

/** pg-boss passes these to its pool. Without them a query on a half-open connection blocks its consumer forever. */
const impatient = { query_timeout: 3000, connectionTimeoutMillis: 2000 }

/** Opens the queue of a mode, with delays short enough for a test. */
export async function openQueue(settings: ProcessSettings): Promise<QueuePort | undefined> {
  const { queue } = modes[settings.mode] as { queue?: 'local' | 'pg-boss' | 'bullmq' }
  const retry = { attempts: settings.attempts, firstPauseSeconds: 0.2 }
  const complain = (error: unknown) => console.error('chaos: the queue complains:', String(error))

  switch (queue) {
    case undefined:
      return undefined
    case 'local':
      return localQueue({
        concurrency: 5,
        pollSeconds: 0.2,
        retry: { ...retry, longestPauseSeconds: 1 },
        onError: complain,
      })
    case 'pg-boss': {
      const { default: PgBoss } = await import('pg-boss')
      const boss = new PgBoss({
        connectionString: settings.postgres as string,
        max: 3,
        schedule: false,
        maintenanceIntervalSeconds: 1,
        ...impatient,
      })
      boss.on('error', complain)
      // pg-boss gives up while the server is starting, so try again as a supervisor does.
      while (!(await boss.start().then(() => true, complain))) {
        await sleep(200)
      }
      return pgBossQueue({
        boss,
        concurrency: 3,
        takeOverSeconds: 2,
        sweepSeconds: 2,
        retry,
        onError: complain,
      }) as QueuePort
    }
    case 'bullmq': {
      const [{ Queue, Worker }, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')])
      return bullmqQueue({
        Queue,
        Worker,
        connection: new Redis(settings.redis as number, {
          maxRetriesPerRequest: null,
          // Detects a half-open connection, except while BullMQ waits up to 5 s for a job.
          socketTimeout: 7000,
          retryStrategy: () => 100,
        }).on('error', () => {}),
        concurrency: 5,
        takeOverSeconds: 2,
        sweepSeconds: 2,
        retry: { ...retry, longestPauseSeconds: 1 },
        onError: complain,
      })
    }
  }
}
