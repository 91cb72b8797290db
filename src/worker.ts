import { type Code, codeWithDetail } from './codes.js'
import { findHandler } from './dispatch/handlers.js'
import { JobNotDone, PayloadError } from './errors.js'
import { type ReadEvent, tryReadEvent } from './event/parse.js'
import type { FlowGate, GatedRun } from './flow/flow-gate.js'
import type { Pipeline } from './options/settings.js'
import { NoHandler } from './queue/no-handler.js'
import type { Job, Worker } from './queue/queue.js'
import { quiet } from './report/quiet.js'
import { acknowledge, isAcknowledged, type ReceiveResult, type Unacknowledged } from './result.js'
import { identify } from './steps/identify.js'
import { processEvent } from './steps/process.js'
import type { EventRef } from './store/event-ref.js'
import { causeOfCode, type FailureCause, fingerprintOf } from './store/fingerprint.js'
import type { FailureCount, HeldClaim, Inbox, StoredEvent } from './store/inbox.js'
import { reasonOf } from './store/reason.js'
import { Deadline } from './timing/deadline.js'

type Admit = (event: StoredEvent) => Promise<void>

export interface ReceiverWorker extends Worker {
  /** Aborts the signal of every running handler. A handler that then fails does not count as an attempt. */
  abort(reason: Error): void
}

/** Runs the jobs of a queue through the steps of a delivery that come after its verification. */
export function queueWorker(
  pipeline: Pipeline,
  inbox: Inbox<unknown>,
  report: (result: ReceiveResult) => void,
  gate: FlowGate,
): ReceiverWorker {
  const { endpoint, logger, telemetry } = pipeline
  const running = new Set<Deadline>()
  let isStopping = false
  const isQuiet = quiet()

  async function markDead(
    { key, id, type }: Pick<StoredEvent, 'key' | 'id' | 'type'>,
    reason: string,
    cause: FailureCause | undefined,
    at: FailureCount | undefined,
  ) {
    await inbox.markDead(key, reason, cause, at)
    telemetry.died({ id, type })
  }

  /** Makes an event dead: no retry can fix it, and its resource must not wait for it. */
  async function giveUp(
    stored: StoredEvent,
    claim: HeldClaim | undefined,
    code: Code,
    { detail }: { readonly detail?: string | undefined },
    read?: ReadEvent,
  ): Promise<ReceiveResult> {
    // The store cannot mark an event dead while it is claimed.
    await claim?.release()
    await markDead(stored, codeWithDetail(code, detail), await causeOfCode(code, detail), stored)
    const result = acknowledge('quarantined', { ...read, source: 'queue', code, detail })
    report(result)
    return result
  }

  async function runEvent(
    stored: StoredEvent,
    read: ReadEvent & { readonly ref: EventRef },
    run: GatedRun,
  ): Promise<void> {
    const { type } = read.event
    const handler = findHandler(pipeline.handlers, pipeline.fallback, type)
    if (!handler) {
      throw new NoHandler(type)
    }
    await run.begin()
    const deadline = new Deadline(pipeline.handlerTimeoutSeconds)
    running.add(deadline)
    try {
      const { body, traceContext: trace, failures } = stored
      const attempt = failures + 1
      const delivery = { ...read, source: 'queue', body, trace, attempt } as const
      const result = await processEvent(pipeline, handler, delivery, deadline, async (result) => {
        if (!isAcknowledged(result) && unfixable.has(result.code)) {
          return giveUp(stored, read.ref.claim, result.code, result, read)
        }
        // Another process has done it since it was read. That is not a delivery, so it is not counted.
        if (result.outcome !== 'duplicate') {
          report(result)
        }
        return result
      })
      if (isAcknowledged(result)) {
        run.ended({ state: result.outcome === 'processed' ? 'succeeded' : 'untried' })
        return
      }
      const isAttempt = !untried.has(result.code) && !isStopping
      if (isAttempt) {
        const { fingerprint } = await fingerprintOf(result.cause ?? describe(result))
        run.ended({ state: 'failed', fingerprint })
      }
      throw new JobNotDone(describe(result), isAttempt, { ...result, overdue: deadline.overdue })
    } finally {
      running.delete(deadline)
    }
  }

  async function runJob(
    job: Job,
    found: StoredEvent | undefined,
    admit: Admit | undefined,
    run: GatedRun,
  ): Promise<void> {
    // After a failure the event is not accepted any more, so `take` would only ask in vain.
    const isRead = found || job.failures || run.isTrial
    const taken = isRead ? undefined : await inbox.take?.(job, pipeline.durations)
    try {
      const stored = found ?? taken?.event ?? (await inbox.read(job.key))
      if (stored) {
        await admit?.(stored)
        await runStored(stored, taken?.claim, run)
      }
    } finally {
      await taken?.claim.release()
    }
  }

  async function runStored(stored: StoredEvent, claim: HeldClaim | undefined, run: GatedRun): Promise<void> {
    if (stored.state === 'done' || stored.state === 'dead') {
      return
    }
    const read = tryReadEvent(stored.body, pipeline.inexactNumbers)
    if (read instanceof PayloadError) {
      await giveUp(stored, claim, read.code, read)
      return
    }
    const given = await identify(pipeline, read)
    if (given.key !== stored.key || given.contentHash !== stored.contentHash) {
      const reason = 'the stored body does not match its content hash: it was changed in the database'
      await claim?.release()
      await markDead(stored, reason, undefined, stored)
      logger.error(`event ${stored.id} (${stored.type}) is dead: ${reason}`)
      return
    }
    const ref = { ...given, resource: stored.resource, isKept: true, seen: stored, claim }
    await runEvent(stored, { ...read, ref }, run)
  }

  return {
    endpoint,

    async run(job, found, admit) {
      // The event belongs to another endpoint. Here it would get other handlers and another key.
      if (job.endpoint !== endpoint) {
        throw new JobNotDone(`the job is of endpoint ${job.endpoint}`, false)
      }
      await gate.run(job, (run) => runJob(job, found, admit, run))
    },

    searches: () => gate.searches(),

    isAborted: () => isStopping,

    priorityOf: (type) => gate.priorityOf(type),

    postponed({ id, type }, { failed, attempts, pauseSeconds }) {
      if (!isQuiet(id)) {
        const at = new Date(Date.now() + 1000 * pauseSeconds).toISOString()
        const fact = `attempt ${failed} of ${attempts} failed; next try at ${at}`
        logger.warn(`event ${id} (${type}): ${fact}`)
      }
    },

    async markDead(job, error, cause) {
      const reason = error instanceof Error ? error.message : String(error)
      const { id } = (await inbox.read(job.key)) ?? { id: job.key }
      const { key, type, generation, failures } = job
      const at = failures === undefined ? undefined : { generation, failures }
      await markDead({ key, id, type }, reason, cause ?? (await fingerprintOf(error)), at)
      pipeline.logger.error(
        `event ${id} (${type}) is dead: no attempt is left`,
        // What the handler threw comes first: its place is what the operator looks for.
        error instanceof JobNotDone ? (error.cause ?? error) : error,
        'fix: correct the cause, then replay the event',
      )
    },

    abort(reason) {
      isStopping = true
      for (const deadline of running) {
        deadline.stop(reason)
      }
    },
  }
}

/** Codes that no retry can fix: the event itself is at fault, or its schema. */
const unfixable = new Set<Code>(['invalid_encoding', 'invalid_json', 'invalid_envelope', 'invalid_data'])

/** Codes that say nothing about the handler: it did not run, or another process runs it. */
const untried = new Set<Code>(['in_progress', 'store_unavailable'])

/** The code and the reason, as far as it is known: for a failed handler the name and message of its error. */
function describe({ code, detail, cause }: Unacknowledged): string {
  // A handler may throw `undefined`, which is then the only thing to say.
  const hasThrown = cause || (code === 'handler_failed' && detail === undefined)
  return hasThrown ? `${code}: ${reasonOf(cause)}` : codeWithDetail(code, detail)
}
