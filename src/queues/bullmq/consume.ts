import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '#crypto'
import type { Worker } from '../../queue/queue.js'
import { startSweep } from '../../queue/sweep.js'
import { describeError, type JobEnd, type ListedJob, takeJob } from '../../queue/take-job.js'
import type { Inbox } from '../../store/inbox.js'
import { type BullJob, type BullMqSettings, connectionOptions } from './engine.js'
import { inTime } from './in-time.js'
import { freshJobId, type Producer } from './producer.js'

/** How long a job that nobody could try keeps its place, lest all of them are run in a circle. */
const restSeconds = 1

/** What BullMQ is told of a job that is not done, for its list: the inbox has noted it already. */
class NotDone extends Error {
  constructor(
    cause: unknown,
    /** Undefined where its event is dead. */
    readonly retryAfterSeconds?: number,
  ) {
    super(describeError(cause), { cause })
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
): Promise<() => Promise<void>> {
  const { concurrency, retry, takeOverSeconds, sweepSeconds, onError } = settings
  const stopping = new AbortController()
  const stopped = new AbortController()
  const list = (next: ListedJob) => producer.add(next, freshJobId())
  const taker = { worker, inbox, retry, signal: stopped.signal, stopping: stopping.signal, list, onError }

  async function run(job: BullJob): Promise<void> {
    const end = await takeJob(taker, job.data, (next) => job.updateData(next)).catch((error): JobEnd => {
      onError(error)
      return { state: 'untried', error }
    })
    switch (end.state) {
      case 'over':
        return
      case 'failed':
        throw new NotDone(end.error, end.pauseSeconds)
      case 'dead':
        throw new NotDone(end.error)
      case 'untried':
        await sleep(restSeconds * 1000, undefined, { signal: stopping.signal }).catch(() => {})
        throw new NotDone(end.error, 2 * restSeconds)
    }
  }

  const consumer = new settings.Worker(name, run, {
    ...connectionOptions(settings),
    concurrency,
    lockDuration: takeOverSeconds * 1000,
    stalledInterval: takeOverSeconds * 1000,
    // A process that dies is not the event’s fault, however often it does.
    maxStalledCount: 2 ** 31 - 1,
    settings: { backoffStrategy },
  })
  consumer.on('error', onError)
  try {
    await inTime(consumer.waitUntilReady(), 'Redis did not answer')
  } catch (error) {
    consumer.close(true).catch(onError)
    throw error
  }
  const stopSweep = startSweep({
    inbox,
    endpoint: worker.endpoint,
    everySeconds: sweepSeconds,
    relist: async (job, name) => producer.add(job, `swept-${await sha256(name)}`),
    onError,
  })
  return async () => {
    stopping.abort()
    await Promise.all([stopSweep(), consumer.close()])
    stopped.abort()
  }
}

/** In milliseconds; -1 ends the job. */
function backoffStrategy(_attempts: number, _type: string, error: unknown): number {
  if (!(error instanceof NotDone)) return 1000
  return error.retryAfterSeconds === undefined ? -1 : Math.ceil(error.retryAfterSeconds * 1000)
}
