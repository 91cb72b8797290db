import type { Code } from './codes.js'
import { findHandler } from './dispatch/handlers.js'
import { readEvent } from './event/parse.js'
import type { Pipeline } from './options/settings.js'
import { type Job, JobNotDone, type Worker } from './queue/queue.js'
import type { ReceiveResult, Unacknowledged } from './result.js'
import { processEvent } from './steps/process.js'
import type { Inbox } from './store/inbox.js'
import { Deadline } from './timing/deadline.js'

/** Runs the jobs of a queue through the same steps as a delivery, from the store on. */
export function queueWorker(
  pipeline: Pipeline,
  inbox: Inbox<unknown>,
  report: (result: ReceiveResult) => void,
): Worker {
  const { endpoint } = pipeline
  return {
    endpoint,

    async run(job: Job, signal: AbortSignal) {
      // Under the key of this endpoint it would be another event, and run again.
      if (job.endpoint !== endpoint) throw new JobNotDone(`the job is of endpoint ${job.endpoint}`, false)
      const stored = await inbox.read(job.key)
      if (!stored || stored.state === 'done' || stored.state === 'dead') return

      const read = readEvent(stored.body, pipeline.inexactNumbers)
      const handler = findHandler(pipeline.handlers, pipeline.fallback, read.event.type)
      if (!handler) throw new JobNotDone(`no handler for ${read.event.type} in this process`)

      const deadline = new Deadline(pipeline.handlerTimeoutSeconds)
      const stop = () => deadline.abort(signal.reason)
      signal.addEventListener('abort', stop)
      // It may have been aborted while the event was read.
      if (signal.aborted) stop()
      try {
        const result = await processEvent(pipeline, handler, read, deadline)
        report(result)
        if (result.status !== 200) throw new JobNotDone(describe(result), !untried.has(result.code))
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },

    async markDead(job, error) {
      await inbox.markDead(job.key, error instanceof Error ? error.message : String(error))
    },
  }
}

/** Answers that say nothing about the handler: it was not run, or not by us. */
const untried = new Set<Code | undefined>(['in_progress', 'store_unavailable'])

/** The code, and what is known of the reason: for a failed handler the error’s own name and message. */
function describe(result: ReceiveResult): string {
  const { cause, detail } = result as Partial<Unacknowledged>
  if (!cause) return [result.code ?? result.outcome, detail].filter(Boolean).join(': ')
  return `${result.code}: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`
}
