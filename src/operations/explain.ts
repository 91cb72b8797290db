import { aliveSeconds, lateSeconds } from '../flow/beat.js'
import type { FlowGate } from '../flow/flow-gate.js'
import { shortestRetentionSeconds } from '../options/rules.js'
import type { Settings } from '../options/settings.js'
import { type FlowStore, isPausedBy, type Pause, type SeenWorker } from '../store/flow-store.js'
import type { Inbox, StoredEvent } from '../store/inbox.js'
import { isDeliveryKey, parseQuarantineKey } from '../store/quarantined-delivery.js'
import { capability, eventKey, inboxOf } from './inbox-of.js'
import { lastDiscard } from './last-discard.js'

/** What every explanation has: one or two sentences for a person to read. */
interface Sentence {
  readonly sentence: string
  /** A second sentence, which says the same as `lostAttempts`. */
  readonly lostSentence?: string
  /** How many of its last attempts left nothing: their process ended or lost its claim. Only while it is open. */
  readonly lostAttempts?: number
  /** The code of a delivery in quarantine with the id of this event and other content. The sentence names it too. */
  readonly alsoQuarantined?: string
}

/** Why an event does not run, with details. Times are RFC 3339, by the database’s clock. */
export type Explanation = Sentence &
  (
    | { readonly reason: 'unknown' }
    /** `undoUntil` is absent if `undo` can no longer restore it. */
    | {
        readonly reason: 'discarded'
        readonly discardedAt: string
        readonly actor: string
        readonly undoUntil?: string
      }
    | { readonly reason: 'done'; readonly doneAt?: string }
    | { readonly reason: 'dead'; readonly lastError?: string }
    | { readonly reason: 'quarantined'; readonly code: string }
    /** `until` is when its claim ends by itself, if the store knows. */
    | { readonly reason: 'running'; readonly until?: string }
    | { readonly reason: 'paused'; readonly pause: Pause }
    | {
        readonly reason: 'circuit_open'
        readonly type: string
        readonly failures: number
        readonly retryAt: string
      }
    | { readonly reason: 'rate_limited'; readonly type?: string; readonly resource?: string }
    | { readonly reason: 'waits_for_retry'; readonly retryAt: string; readonly lastError?: string }
    /** `earlier` is the id of the event that runs first. */
    | { readonly reason: 'waits_for_earlier'; readonly earlier: string; readonly resource: string }
    | { readonly reason: 'no_worker' }
    | { readonly reason: 'due'; readonly workers: number }
  )

export interface ExplainOperations {
  /**
   * Says why an event is in its current state. If several reasons apply, it returns the first of this list: done, dead,
   * discarded, quarantined, unknown, running, paused, circuit_open, rate_limited, waits_for_retry, waits_for_earlier,
   * no_worker, due.
   *
   * The reason is `quarantined` for the key of a quarantined delivery, and for an id without an event that is stored or was
   * discarded. For these `alsoQuarantined` has the code of a delivery with the same id. The limits of another process show about 20 seconds late. A process that was killed counts as a worker for a minute.
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
      if (!stored) {
        return explainMissing(settings, flow, eventId, key)
      }
      return withQuarantined(
        await explainStored(stored, flow, inbox),
        await flow.quarantineCode(endpoint, { eventId }),
      )
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
      return { reason: 'dead', sentence, ...(lastError && { lastError }) }
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
    if (claim.state === 'running') {
      const { until } = claim
      const sentence = `Event ${id} is running${until ? `; its claim ends at ${until} at the latest` : ''}.`
      return { reason: 'running', sentence, ...(until && { until }) }
    }
    const workers = await flow.workers(endpoint, aliveSeconds)
    const held = (await explainHold(flow, stored)) ?? explainLimit(stored, workers, gate)
    if (held) {
      return held
    }
    if (retryAt && isBeforeRetry) {
      const sentence = `Event ${id} failed ${times(stored.failures)} and is retried at ${retryAt}${lastError ? `: ${lastError}` : ''}.`
      return { reason: 'waits_for_retry', sentence, retryAt, ...(lastError && { lastError }) }
    }
    const first = await inbox.nextForResource(key)
    if (first && first.key !== key && resource !== undefined) {
      const sentence = `Event ${id} waits for event ${first.id}, which is earlier for the resource ${resource} and is ${first.state}.`
      return { reason: 'waits_for_earlier', sentence, earlier: first.id, resource }
    }
    return explainDue(stored, workers)
  }
}

async function explainMissing(
  settings: Settings,
  flow: FlowStore,
  eventId: string,
  ownKey: string,
): Promise<Explanation> {
  const { endpoint } = settings
  const code = await codeOf(flow, endpoint, eventId)
  // A delivery in quarantine was not discarded since, but an event with its id may have been.
  const isDelivery = isDeliveryKey(eventId, endpoint)
  const discarded =
    code === undefined
      ? ((await explainDiscard(settings, eventId, ownKey)) ??
        (await explainDiscard(settings, eventId, eventId)))
      : isDelivery
        ? undefined
        : await explainDiscard(settings, eventId, ownKey)
  if (discarded) {
    return withQuarantined(discarded, code)
  }
  if (code === 'event_id_conflict' && !isDelivery) {
    const sentence = `Event ${eventId} is not kept any more. A delivery with its id and other content is in quarantine because of ${code}.`
    return { reason: 'quarantined', sentence, code }
  }
  if (code !== undefined) {
    const sentence = `Event ${eventId} was not accepted: a delivery of it is in quarantine because of ${code}.`
    return { reason: 'quarantined', sentence, code }
  }
  return { reason: 'unknown', sentence: `No event ${eventId} is kept for the endpoint ${endpoint}.` }
}

/**
 * Who discarded what was stored under this key; `undefined` if nobody did. A discarded event that was delivered again can be
 * processed and pruned after this time, and then it leaves no trace.
 */
async function explainDiscard(settings: Settings, id: string, key: string): Promise<Explanation | undefined> {
  const { endpoint } = settings
  // Read before who did it: then a reader who names this discard in an undo never means a later one.
  const hidden = await inboxOf(settings).bulk?.discarded({ endpoint, key }, 1)
  const last = await lastDiscard(settings, { key })
  if (last?.action !== 'discard') {
    return undefined
  }
  const { actor, at, reason } = last
  const undoUntil = hidden?.[0]?.undoUntil
  const undo = undoUntil ? `undo is possible until ${undoUntil}` : 'its window for undo has ended'
  const isOld = Date.now() - Date.parse(at) > shortestRetentionSeconds * 1000
  const since = isOld ? ' If it was delivered again since, it was processed and then pruned.' : ''
  const sentence = `Event ${id} was discarded by ${actor} at ${at}: ${reason}; ${undo}.${since}`
  return { reason: 'discarded', sentence, discardedAt: at, actor, ...(undoUntil && { undoUntil }) }
}

/** Adds that the sender also sent something else with this id, which nobody has decided about. */
function withQuarantined(why: Explanation, code: string | undefined): Explanation {
  if (code === undefined) {
    return why
  }
  const sentence = `${why.sentence} A delivery with its id and other content is in quarantine because of ${code}.`
  return { ...why, sentence, alsoQuarantined: code }
}

/** The id may be the key of a quarantined delivery. */
async function codeOf(flow: FlowStore, endpoint: string, eventId: string): Promise<string | undefined> {
  const byId = await flow.quarantineCode(endpoint, { eventId })
  const delivery = parseQuarantineKey(eventId)
  if (byId !== undefined || delivery?.endpoint !== endpoint) {
    return byId
  }
  return flow.quarantineCode(endpoint, { bodyHash: delivery.bodyHash })
}

async function explainHold(flow: FlowStore, { endpoint, type, resource, id }: StoredEvent) {
  const { pauses, circuits } = await flow.holds(endpoint)
  const pause = pauses.find((each) => isPausedBy(each, { type, resource }))
  if (pause) {
    const what = pause.type
      ? `type ${pause.type}`
      : pause.resource
        ? `resource ${pause.resource}`
        : `endpoint ${endpoint}`
    const sentence = `Event ${id} waits because ${pause.actor} paused the ${what} at ${pause.pausedAt}: ${pause.reason}.`
    return { reason: 'paused', sentence, pause } as const
  }
  const circuit = circuits.find((each) => each.type === type && each.isHolding)
  if (circuit?.retryAt) {
    const { failures, retryAt } = circuit
    const next = circuit.isOnTrial ? 'a trial is running now' : `one event runs as a trial at ${retryAt}`
    // Without the count: a trial that fails with another cause starts it again, and the circuit stays open.
    const sentence = `Event ${id} waits because ${type} failed too often in a row; ${next}.`
    return { reason: 'circuit_open', sentence, type, failures, retryAt } as const
  }
  return undefined
}

function explainLimit({ id, type, resource }: StoredEvent, workers: readonly SeenWorker[], gate: FlowGate) {
  const limits = [gate.limited(), ...workers.map(({ limited }) => limited)]
  if (limits.some(({ types }) => types.includes(type))) {
    return {
      reason: 'rate_limited',
      sentence: `Event ${id} waits because ${type} is at its limit.`,
      type,
    } as const
  }
  const isFull = (resource: string) =>
    gate.isFull(resource) || limits.some(({ resources }) => resources.includes(resource))
  if (resource !== undefined && isFull(resource)) {
    const sentence = `Event ${id} waits because the resource ${resource} is at its limit.`
    return { reason: 'rate_limited', sentence, resource } as const
  }
  return undefined
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

function explainDue({ id, endpoint }: StoredEvent, seen: readonly SeenWorker[]): Explanation {
  const { length: workers } = seen
  if (workers === 0) {
    const fix = 'call receiver.start() in a process that keeps running'
    return {
      reason: 'no_worker',
      sentence: `Event ${id} waits because no process runs the events of ${endpoint}; ${fix}.`,
    }
  }
  if (seen.every(({ silentSeconds = 0 }) => silentSeconds > lateSeconds)) {
    const sentence = `Event ${id} can run now. No process that runs the events of ${endpoint} has reported for ${lateSeconds} s, so perhaps none runs any more.`
    return { reason: 'due', sentence, workers }
  }
  const who = workers === 1 ? 'One process runs' : `${workers} processes run`
  const sentence = `Event ${id} can run now. A process that has a free place finds it within its pollSeconds. ${who} the events of ${endpoint}.`
  return { reason: 'due', sentence, workers }
}

const at = (time: string | undefined) => (time ? ` since ${time}` : '')
const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
