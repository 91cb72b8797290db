import { sha256 } from '#crypto'
import { JobRunner, type ListedJob, messageOf } from '../../queue/job-runner.js'
import type { Worker } from '../../queue/queue.js'
import { sweep } from '../../queue/sweep.js'
import type { Inbox } from '../../store/inbox.js'
import { Alarm } from '../../timing/alarm.js'
import { Shutdown } from '../../timing/shutdown.js'
import { type BullJob, type BullMqSettings, connectionOptions } from './bullmq-engine.js'
import { freshJobId, type Producer } from './producer.js'
import { waitForRedis } from './wait-for-redis.js'

/** How long a job that was not tried waits. Otherwise BullMQ would run it again immediately. */
const untriedPauseSeconds = 1

/** Tells BullMQ that a job is not done. The inbox has noted the failure already. */
class NotDone extends Error {
  constructor(
    cause: unknown,
    /** Undefined when the event is dead. */
    readonly retryAfterSeconds?: number,
  ) {
    super(messageOf(cause), { cause })
    this.name = 'NotDone'
  }
}

/** Runs the jobs of one queue until the function that it resolves to is called. */
export async function consume(
  settings: BullMqSettings,
  name: string,
  producer: Producer,
  worker: Worker,
  inbox: Inbox<unknown>,
  resumptions: Set<() => void>,
): Promise<() => Promise<void>> {
  const { concurrency, takeOverSeconds, sweepSeconds, onError } = settings
  const shutdown = new Shutdown()
  const runner = new JobRunner({ ...settings, worker, inbox, shutdown })

  const withPriority = (job: ListedJob) => ({ ...job, priority: worker.priorityOf?.(job.type) })

  async function run(job: BullJob): Promise<void> {
    const end = await runner.take(job.data, {
      addNextAttempt: (next) => job.updateData(next),
      add: (next: ListedJob) => producer.add(withPriority(next), freshJobId()),
    })
    switch (end.state) {
      case 'over':
        return
      case 'held':
        // If the time is unknown, the job is dropped. The sweep adds it again when it may run.
        if (end.retryAfterSeconds === undefined) {
          return
        }
        throw new NotDone(end.error, end.retryAfterSeconds)
      case 'failed':
        throw new NotDone(end.error, end.pauseSeconds)
      case 'dead':
        throw new NotDone(end.error)
      case 'untried':
        await shutdown.sleep(untriedPauseSeconds)
        throw new NotDone(end.error, 2 * untriedPauseSeconds)
    }
  }

  const resumed = new Alarm()
  const ring = () => resumed.ring()
  resumptions.add(ring)
  const consumer = new settings.Worker(name, run, {
    ...connectionOptions(settings),
    concurrency,
    lockDuration: takeOverSeconds * 1000,
    stalledInterval: takeOverSeconds * 1000,
    // The death of a process is not the event’s fault, however often it happens.
    maxStalledCount: 2 ** 31 - 1,
    settings: { backoffStrategy },
  })
  let lastError: unknown
  consumer.on('error', (error) => {
    lastError = error
    onError(error)
  })
  try {
    await waitForRedis(consumer.waitUntilReady(), 'let a worker connect', () => lastError)
  } catch (error) {
    consumer.close(true).catch(onError)
    throw error
  }
  const sweeping = sweep({
    inbox,
    endpoint: worker.endpoint,
    everySeconds: sweepSeconds,
    shutdown,
    resumed,
    relist: async (job, jobName) => producer.add(withPriority(job), `swept-${await sha256(jobName)}`),
    onError,
  })
  return async () => {
    shutdown.begin()
    resumptions.delete(ring)
    await Promise.all([sweeping, consumer.close()])
  }
}

/** In milliseconds; -1 ends the job. */
function backoffStrategy(_attempts: number, _type: string, error: unknown): number {
  if (!(error instanceof NotDone)) {
    return 1000
  }
  return error.retryAfterSeconds === undefined ? -1 : Math.ceil(error.retryAfterSeconds * 1000)
}
