import { aliveSeconds, beatSeconds, isSilent, lateSeconds } from '../flow/beat.js'
import type { FlowGate } from '../flow/flow-gate.js'
import type { Settings } from '../options/settings.js'
import { unnotedFailure } from '../queue/open-event.js'
import type { FlowStore, SeenWorker } from '../store/flow-store.js'
import type { Inbox, StoredEvent } from '../store/inbox.js'
import { explainClaim } from './explain-claim.js'
import { withEdited } from './explain-edited.js'
import { explainHold, explainLimit } from './explain-held.js'
import { explainMissing, withQuarantined } from './explain-missing.js'
import type { Explanation } from './explanation.js'
import { capability, eventKey, inboxOf } from './inbox-of.js'

export interface ExplainOperations {
  /**
   * Says why an event is in its current state. If several reasons apply, it returns the first of this list: done, dead,
   * discarded, quarantined, unknown, running, stalled, paused, circuit_open, rate_limited, waits_for_retry,
   * waits_for_earlier, no_worker, due.
   *
   * The reason is `quarantined` for the key of a quarantined delivery, and for an id without an event that is stored or was
   * discarded. For these `alsoQuarantined` has the code of a delivery with the same id. The limits of another process show
   * about 20 seconds late. A process that was killed counts as a worker for a minute. `copies` has the edited copies of the event, and
   * `parent` the event that it was copied from.
   */
  explain(eventId: string): Promise<Explanation>
}

export function explainOperations(settings: Settings, gate: FlowGate): ExplainOperations {
  const { endpoint } = settings
  return {
    async explain(eventId) {
      const flow = capability(settings, 'flow')
      const inbox = inboxOf(settings)
      const key = await eventKey(settings, 'eventId', eventId)
      const stored = await inbox.read(key)
      const why = stored
        ? withQuarantined(
            await explainStored(stored, flow, inbox),
            await flow.quarantineCode(endpoint, { eventId }),
          )
        : await explainMissing(settings, flow, eventId, key)
      return withEdited(why, settings, eventId, stored)
    },
  }

  async function explainStored(
    stored: StoredEvent,
    flow: FlowStore,
    inbox: Inbox<unknown>,
  ): Promise<Explanation> {
    const { state, id, doneAt, lastError } = stored
    if (state === 'done') {
      return { reason: 'done', sentence: `Event ${id} is done${at(doneAt)}.`, ...(doneAt && { doneAt }) }
    }
    if (state === 'dead') {
      const because = lastError ? `: ${lastError}` : ''
      const needs = settings.queue ? '' : ', which needs a queue'
      const sentence = `Event ${id} is dead${because}. It runs again only when it is replayed${needs}.`
      const claim = await flow.claimOf(stored.key)
      const until = claim.state === 'running' ? claim.until : undefined
      return {
        reason: 'dead',
        sentence: until ? `${sentence} A handler that timed out still holds it, until ${until}.` : sentence,
        ...(lastError && { lastError }),
        ...(until && { until }),
      }
    }
    return withLost(await explainOpen(stored, flow, inbox), stored)
  }

  /** Why an event that is neither done nor dead is not done yet. */
  async function explainOpen(
    stored: StoredEvent,
    flow: FlowStore,
    inbox: Inbox<unknown>,
  ): Promise<Explanation> {
    const { id, lastError, key, retryAt, isBeforeRetry, resource } = stored
    const claim = await flow.claimOf(key)
    const workers = await flow.workers(endpoint, aliveSeconds)
    if (workers.every(isSilent)) {
      // A lock of another process also keeps a healthy worker from its report.
      await flow.checkReports?.()
    }
    if (claim.state === 'running') {
      return explainClaim(id, claim, workers, settings.queue !== undefined)
    }
    const hold = await explainHold(flow, stored)
    if (hold) {
      return hold
    }
    const limit = explainLimit(stored, workers, gate)
    if (limit) {
      return withRunning(limit, workers, gate)
    }
    if (retryAt && isBeforeRetry) {
      const because = lastError ? `: ${lastError}` : ''
      const sentence = `Event ${id} ${failedHowOften(stored)} and is retried at ${retryAt}${because}.`
      return { reason: 'waits_for_retry', sentence, retryAt, ...(lastError && { lastError }) }
    }
    const first = await inbox.nextForResource(key)
    if (first && first.key !== key && resource !== undefined) {
      const sentence = `Event ${id} waits for event ${first.id}, which is earlier for the resource ${resource} and is ${first.state}.`
      return { reason: 'waits_for_earlier', sentence, earlier: first.id, resource }
    }
    return withRunning(explainDue(stored, workers, settings.queue), workers, gate)
  }
}

/** Handlers that take long fill the places of their processes. Of the other processes only their last reports tell. */
function withRunning(why: Explanation, workers: readonly SeenWorker[], gate: FlowGate): Explanation {
  const counts = workers.map(({ id, limited }) =>
    id === gate.reportsAs ? gate.running : (limited.running ?? 0),
  )
  const running = counts.reduce((sum, count) => sum + count, 0)
  if (running === 0) {
    return why
  }
  const isExact = workers.every(({ id }) => id === gate.reportsAs)
  const when = isExact ? ' now' : `, by reports that come every ${beatSeconds} s`
  const sentence = `${why.sentence} ${running === 1 ? '1 handler runs' : `${running} handlers run`}${when}.`
  return { ...why, sentence, running } as Explanation
}

/** A process that the event ends never notes a failure, so only this tells. */
function withLost(why: Explanation, { attempts }: StoredEvent): Explanation {
  const { lost } = attempts?.at(-1) ?? {}
  if (lost === undefined) {
    return why
  }
  const which = lost === 1 ? 'attempt' : `${lost} attempts`
  const lostSentence = `Its last ${which} left nothing: the process ended or lost its claim.`
  return { ...why, lostSentence, lostAttempts: lost }
}

function explainDue(
  { id, endpoint }: StoredEvent,
  seen: readonly SeenWorker[],
  queue: Settings['queue'],
): Explanation {
  const { length: workers } = seen
  if (workers === 0) {
    const fix = 'call receiver.start() in a process that keeps running'
    return {
      reason: 'no_worker',
      sentence: `Event ${id} waits because no process runs the events of ${endpoint}; ${fix}.`,
    }
  }
  if (seen.every(isSilent)) {
    const sentence = `Event ${id} can run now. No process that runs the events of ${endpoint} has reported for ${lateSeconds} s, so perhaps none runs any more.`
    return { reason: 'due', sentence, workers }
  }
  const who = workers === 1 ? 'One process runs' : `${workers} processes run`
  // A queue with a list of its own delays the job for a limit, drops it in a pause, and adds it again later.
  const when =
    queue && queue.pollSeconds === undefined
      ? 'It runs when the queue reaches its job. Limits and pauses delay jobs.'
      : 'A process that has a free place finds it within its pollSeconds.'
  const sentence = `Event ${id} can run now. ${when} ${who} the events of ${endpoint}.`
  return { reason: 'due', sentence, workers }
}

const at = (time: string | undefined) => (time ? ` since ${time}` : '')

/** The queue counts a failure a moment after the store has noted it. */
function failedHowOften(stored: StoredEvent): string {
  const unnoted = unnotedFailure(stored)
  const count = stored.failures + (unnoted && !unnoted.isUncounted ? 1 : 0)
  return count === 0 ? 'was interrupted' : `failed ${times(count)}`
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
