import type { Context } from '../context.js'
import type { Resolve } from './address-guard.js'
import { type AttemptResult, makeAttempt } from './attempt.js'
import type { Attempt, Edited } from './attempts.js'
import { diceFor, readChaos } from './chaos.js'
import type { Delivery } from './deliveries.js'
import { readEvent } from './events.js'
import { failureOf } from './failure.js'
import { settle } from './settle.js'
import { readSubscription } from './subscriptions.js'

export interface DeliverOptions extends Context {
  /** Resolves the names of targets. Default: `dns.lookup`. */
  readonly resolve?: Resolve | undefined
}

/** The changes that a person makes to one attempt. */
export interface Edit {
  /** The Service-Signature to send; `null` for none. Default: the planned one, or a new one. */
  readonly signature?: string | null | undefined
  /** The body to send in place of the event's own. */
  readonly body?: Uint8Array | undefined
  /** What the person changed, for the record. */
  readonly edited?: Edited | undefined
}

interface Terms extends Edit {
  /** Aborts the attempt. */
  readonly signal: AbortSignal
}

/**
 * Makes the next attempt for a delivery and commits its end. Resolves to `undefined`, with nothing committed, if the attempt
 * was aborted or its subscription was deleted.
 */
export async function deliver(
  context: DeliverOptions,
  delivery: Delivery,
  { signature, body, edited, signal }: Terms,
): Promise<Attempt | undefined> {
  const { database, clock, options, resolve } = context
  const event = readEvent(database, delivery.eventId)
  const subscription = readSubscription(database, delivery.subscriptionId)
  if (!event || !subscription) {
    return undefined
  }
  const eventBody = event.bodies[delivery.envelope]
  // Only a replay with the original signature has one before its first attempt.
  const planned = delivery.attempts === 0 ? delivery.signature : undefined
  const startedAt = clock.now()
  const result = await makeAttempt({
    deliverySeq: delivery.seq,
    eventId: event.id,
    url: delivery.url,
    body: body ?? eventBody,
    secret: subscription.secret,
    number: delivery.attempts + 1,
    signature: signature === undefined ? planned : signature,
    dice: diceFor(readChaos(database), subscription.id),
    options,
    resolve,
    signal,
  }).catch((error: unknown) => (signal.aborted ? undefined : notSent(error)))
  if (!result || signal.aborted) {
    return undefined
  }
  return settle(context, { delivery, eventBody, startedAt, result, edited })
}

/** An attempt that could not be made counts as failed, for example if the secret does not fit the scheme. */
const notSent = (error: unknown): AttemptResult => ({
  answer: undefined,
  failure: failureOf(error instanceof Error ? error : new Error(String(error))),
  timings: { ended: 0 },
  headers: [],
  body: new Uint8Array(),
  signature: undefined,
  sentAt: Date.now(),
  faults: [],
})
