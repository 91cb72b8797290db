import { shortestRetentionSeconds } from '../options/rules.js'
import type { Settings } from '../options/settings.js'
import type { FlowStore } from '../store/flow-store.js'
import { isDeliveryKey, parseQuarantineKey } from '../store/quarantined-delivery.js'
import type { Explanation } from './explanation.js'
import { inboxOf } from './inbox-of.js'
import { lastDiscard } from './last-discard.js'

/** Explains an id without a stored event: it was discarded, is in quarantine, or is unknown. */
export async function explainMissing(
  settings: Settings,
  flow: FlowStore,
  eventId: string,
  ownKey: string,
): Promise<Explanation> {
  const { endpoint } = settings
  const code = await codeOf(flow, endpoint, eventId)
  const isDelivery = isDeliveryKey(eventId, endpoint)
  const discarded = await explainDiscardOf(settings, eventId, ownKey, code)
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

/** The id may be that of an event, or the key of a delivery. A delivery that is in quarantine was not discarded since. */
async function explainDiscardOf(
  settings: Settings,
  eventId: string,
  ownKey: string,
  code: string | undefined,
): Promise<Explanation | undefined> {
  const isInQuarantine = code !== undefined
  if (isInQuarantine && isDeliveryKey(eventId, settings.endpoint)) {
    return undefined
  }
  const ofEvent = await explainDiscard(settings, eventId, ownKey)
  return ofEvent || isInQuarantine ? ofEvent : explainDiscard(settings, eventId, eventId)
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
export function withQuarantined(why: Explanation, code: string | undefined): Explanation {
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
