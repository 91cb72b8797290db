import type { Context } from '../context.js'
import type { AttemptResult } from './attempt.js'
import { type Attempt, attemptOf, type Edited, insertAttempt, isAcknowledged } from './attempts.js'
import { draw } from './chaos.js'
import type { Delivery } from './deliveries.js'
import { retryAfterSeconds } from './retry-after.js'
import { disableSubscription, readSubscription } from './subscriptions.js'

const gone = 410

export interface Ended {
  readonly delivery: Delivery
  readonly eventBody: Uint8Array
  /** Unix milliseconds by the sandbox's clock. */
  readonly startedAt: number
  readonly result: AttemptResult
  readonly edited?: Edited | undefined
}

/** Commits the end of an attempt: its record, the new state of the delivery, and the next steps. */
export function settle(context: Context, ended: Ended): Attempt {
  return context.database.transaction(() => {
    const { delivery, result, startedAt, eventBody, edited } = ended
    const { database, clock } = context
    const now = clock.now()
    if (result.answer?.status === gone) {
      disableSubscription(context, delivery.subscriptionId)
    }
    const number = delivery.attempts + 1
    const { state, dueAt } = next(context, ended, number)
    const attempt = { ...attemptOf(delivery.id, number, startedAt, result, dueAt), edited }
    insertAttempt(database, attempt, eventBody)
    database
      .prepare(
        `UPDATE deliveries SET state = ?, due_at = ?, ended_at = ?, attempts = ?, signature = coalesce(signature, ?)
         WHERE seq = ?`,
      )
      .run(
        state,
        dueAt ?? null,
        state === 'pending' ? null : now,
        number,
        result.signature ?? null,
        delivery.seq,
      )
    release(context, delivery)
    if (state === 'exhausted' && delivery.cause !== 'replay') {
      disableAfterExhausted(context, delivery.subscriptionId)
    }
    return attempt
  })()
}

interface Next {
  readonly state: Delivery['state']
  readonly dueAt: number | undefined
}

function next({ database, clock, options }: Context, { delivery, result }: Ended, number: number): Next {
  const ends = (state: Delivery['state']): Next => ({ state, dueAt: undefined })
  if (isAcknowledged(result)) {
    return ends('delivered')
  }
  const pause = delivery.cause === 'replay' ? undefined : options.retrySeconds[number - 1]
  if (pause === undefined || result.answer?.status === gone) {
    return ends('exhausted')
  }
  if (readSubscription(database, delivery.subscriptionId)?.status !== 'enabled') {
    return ends('canceled')
  }
  const asked = retryAfterSeconds(retryAfterOf(result), Date.now()) ?? 0
  const planned = options.jitter ? pause * jitterOf(options.seed, delivery.seq, number) : pause
  return { state: 'pending', dueAt: Math.ceil(clock.now() + Math.max(planned, asked) * 1000) }
}

/** A factor from 0.9 to 1.1, the same for the same seed, delivery and attempt. */
const jitterOf = (...parts: readonly number[]) => 0.9 + 0.2 * draw('jitter', ...parts)

/** Disables a subscription if its newest deliveries are exhausted, as many in a row as the option says. */
function disableAfterExhausted(context: Context, subscriptionId: string): void {
  const { database, options } = context
  const { disableAfter: limit } = options
  if (limit === undefined) {
    return
  }
  const newest = database
    .prepare(
      `SELECT state FROM deliveries WHERE subscription_id = ? AND cause <> 'replay' AND ended_at IS NOT NULL
       ORDER BY ended_at DESC, seq DESC LIMIT ?`,
    )
    .all(subscriptionId, limit) as { state: string }[]
  if (newest.length === limit && newest.every(({ state }) => state === 'exhausted')) {
    disableSubscription(context, subscriptionId)
  }
}

const retryAfterOf = ({ answer }: AttemptResult): string | undefined =>
  answer?.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1]

/** Makes the deliveries due that waited for the first attempt of this event. */
function release({ database, clock }: Context, { eventId, subscriptionId }: Delivery): void {
  database
    .prepare('UPDATE deliveries SET due_at = ?, waits_for = NULL WHERE waits_for = ? AND subscription_id = ?')
    .run(clock.now(), eventId, subscriptionId)
}
