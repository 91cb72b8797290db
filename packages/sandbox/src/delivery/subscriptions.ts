import { createHmac } from 'node:crypto'
import { announce } from '../announce.js'
import type { Context } from '../context.js'
import type { Database } from '../database/open.js'
import { newestFirst, type Page } from '../database/page.js'
import type { Envelope, Options } from '../options/options.js'
import { isEventPattern, wants } from './event-filter.js'
import { targetProblem } from './target.js'

export interface Subscription {
  /** Grows with every subscription; a cursor for lists. */
  readonly seq: number
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly description: string | undefined
  readonly envelope: Envelope
  readonly secret: string
  /** `disabled` after the receiver responded 410. */
  readonly status: 'enabled' | 'disabled'
  /** Unix milliseconds by the sandbox's clock. */
  readonly createdAt: number
}

export interface NewSubscription {
  readonly url: string
  /** Types, `prefix.*` or `*`. Duplicates are removed. */
  readonly events: readonly string[]
  readonly description?: string | undefined
  /** Default: the envelope of the options. */
  readonly envelope?: Envelope | undefined
  /** Default: the secret of the options, else a new one, which is the same for the same seed and order of creation. */
  readonly secret?: string | undefined
}

/** A subscription that cannot be created. `param` is the field to correct, if there is one. */
export class SubscriptionError extends Error {
  readonly code: 'invalid_url' | 'invalid_events' | 'invalid_description' | 'invalid_secret' | 'too_many'
  readonly param: keyof NewSubscription | undefined

  constructor(code: SubscriptionError['code'], param: keyof NewSubscription | undefined, message: string) {
    super(message)
    this.name = 'SubscriptionError'
    this.code = code
    this.param = param
  }
}

export const maxSubscriptions = 10_000
const maxEventPatterns = 100
const maxTextLength = 255

/** Stores a subscription. Call it in a transaction. Throws `SubscriptionError`. */
export function createSubscription(context: Context, given: NewSubscription): Subscription {
  const { database, clock, ids, options } = context
  check(given, context)
  const { description = null, envelope = options.envelope } = given
  const url = normalized(given.url)
  const events = [...new Set(given.events)]
  const id = ids.next('whe')
  database
    .prepare(
      `INSERT INTO subscriptions (id, url, events, description, envelope, secret, status, created_at)
       VALUES (?, ?, ?, ?, ?, '', 'enabled', ?)`,
    )
    .run(id, url, JSON.stringify(events), description, envelope, clock.now())
  const { seq } = database.prepare('SELECT seq FROM subscriptions WHERE id = ?').get(id) as { seq: number }
  const secret = given.secret ?? options.secret ?? secretOf(options, seq)
  database.prepare('UPDATE subscriptions SET secret = ? WHERE seq = ?').run(secret, seq)
  announce(context, 'subscription', id)
  return readSubscription(database, id) as Subscription
}

/** The form in which a URL is stored, shown and compared: `HTTP://LOCALHOST:80` is `http://localhost/`. */
export const normalized = (url: string): string => new URL(url).href

/** The subscription with this id; `undefined` if there is none. */
export function readSubscription(database: Database, id: string): Subscription | undefined {
  const row = database.prepare('SELECT * FROM subscriptions WHERE id = ?').get(id)
  return row === undefined ? undefined : subscriptionOf(row as SubscriptionRow)
}

/** Subscriptions, the newest first. */
export const listSubscriptions = (database: Database, page: Page): Subscription[] =>
  newestFirst<SubscriptionRow>(database, 'subscriptions', page).map(subscriptionOf)

/** Deletes a subscription and cancels its pending deliveries. Call it in a transaction. False if there is none. */
export function deleteSubscription(context: Context, id: string): boolean {
  const { database } = context
  if (!readSubscription(database, id)) {
    return false
  }
  database.prepare('DELETE FROM subscriptions WHERE id = ?').run(id)
  cancelDeliveries(context, id)
  announce(context, 'subscription', id)
  return true
}

/** Sends nothing more to a subscription and cancels its pending deliveries. Call it in a transaction. */
export function disableSubscription(context: Context, id: string): void {
  context.database.prepare("UPDATE subscriptions SET status = 'disabled' WHERE id = ?").run(id)
  cancelDeliveries(context, id)
  announce(context, 'subscription', id)
}

/** Every enabled subscription that wants events of `type`, the oldest first. */
export function subscriptionsFor(database: Database, type: string): Subscription[] {
  const rows = database.prepare("SELECT * FROM subscriptions WHERE status = 'enabled' ORDER BY seq").all()
  return (rows as SubscriptionRow[]).map(subscriptionOf).filter(({ events }) => wants(events, type))
}

function cancelDeliveries(context: Context, subscriptionId: string): void {
  const { database, clock } = context
  const canceled = database
    .prepare(
      `UPDATE deliveries SET state = 'canceled', due_at = NULL, waits_for = NULL, ended_at = ?
       WHERE subscription_id = ? AND state = 'pending' RETURNING id`,
    )
    .all(clock.now(), subscriptionId)
  for (const { id } of canceled as { id: string }[]) {
    announce(context, 'delivery', id)
  }
}

function check({ url, events, description = '', secret = 'given' }: NewSubscription, context: Context) {
  const problem = targetProblem(url, context.options)
  if (problem !== undefined) {
    throw new SubscriptionError('invalid_url', 'url', `url: ${problem}`)
  }
  if (events.length === 0 || events.length > maxEventPatterns) {
    throw new SubscriptionError(
      'invalid_events',
      'events',
      `events must have 1 to ${maxEventPatterns} entries`,
    )
  }
  const wrong = events.find((pattern) => pattern.length > maxTextLength || !isEventPattern(pattern))
  if (wrong !== undefined) {
    const shown = JSON.stringify(wrong.slice(0, 40))
    throw new SubscriptionError('invalid_events', 'events', `${shown} is no event type, prefix.* or *`)
  }
  if (description.length > maxTextLength) {
    const message = `description must have at most ${maxTextLength} characters`
    throw new SubscriptionError('invalid_description', 'description', message)
  }
  if (!/^[!-~]{1,255}$/.test(secret)) {
    const message = 'secret must be 1 to 255 visible ASCII characters without white space'
    throw new SubscriptionError('invalid_secret', 'secret', message)
  }
  const row = context.database.prepare('SELECT count(*) AS count FROM subscriptions').get()
  if ((row as { count: number }).count >= maxSubscriptions) {
    const message = `at most ${maxSubscriptions} subscriptions exist at a time; delete one first`
    throw new SubscriptionError('too_many', undefined, message)
  }
}

/** For tests on this machine only: anyone who knows the seed can compute it. The scheme can decode it. */
export function secretOf({ seed, scheme }: Options, seq: number): string {
  const digest = createHmac('sha256', `webhook-inbox-sandbox:${seed}`).update(`secret:${seq}`).digest()
  const { key = 'utf8', keyPrefix = '' } = scheme ?? {}
  return key === 'utf8'
    ? `whsec_local_${digest.toString('base64url').slice(0, 32)}`
    : keyPrefix + digest.toString(key)
}

interface SubscriptionRow
  extends Pick<Subscription, 'seq' | 'id' | 'url' | 'envelope' | 'secret' | 'status'> {
  readonly events: string
  readonly description: string | null
  readonly created_at: number
}

// Does not spread the row, because libsql adds a field to it.
const subscriptionOf = (row: SubscriptionRow): Subscription => ({
  seq: row.seq,
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events) as string[],
  description: row.description ?? undefined,
  envelope: row.envelope,
  secret: row.secret,
  status: row.status,
  createdAt: row.created_at,
})
