import type { Code } from '../codes.js'

/** A delivery with a valid signature that cannot be processed. It is kept for review. */
export interface QuarantinedDelivery {
  readonly endpoint: string
  /** Why it was quarantined. */
  readonly code: Code
  /** The id of the event, if the body could be read that far. A store keeps the first id that it gets for these bytes. */
  readonly eventId?: string
  /** SHA-256 over the exact bytes of the body, as 64 hex digits. */
  readonly bodyHash: string
  readonly body: Uint8Array
}

export interface StoredQuarantine extends QuarantinedDelivery {
  /** The key of the quarantined delivery. Pass it to `discard`. */
  readonly key: string
  /** RFC 3339: when these bytes arrived first. */
  readonly receivedAt: string
  /** Later and restored deliveries have a higher place. Pass it as `after` to list the next ones. */
  readonly place: number
  /** How often the same bytes arrived. */
  readonly deliveries: number
  /** The length of the body. Only if the query left the bodies out. */
  readonly bodyBytes?: number
}

export type QuarantineOutcome =
  /** It is committed. */
  | { readonly state: 'quarantined' }
  /** The quarantine of this endpoint is full. Nothing was kept. */
  | { readonly state: 'full' }

export type AcceptDeadOutcome =
  /** The event is `dead` now, or was already, with this content. */
  | { readonly state: 'dead' }
  /** It is done, or it was accepted with the content that `contentHash` names. Nothing changed. */
  | { readonly state: 'duplicate'; readonly contentHash: string }
  /** Another holder runs it. Nothing changed. */
  | { readonly state: 'busy'; readonly retryAfterSeconds: number }

/** The default for how many quarantined deliveries an endpoint keeps. */
export const defaultMaxQuarantined = 10_000

/** The key of a quarantined delivery. Event keys of a receiver contain no slash, so the two are never confused. */
export const quarantineKey = ({ endpoint, bodyHash }: { endpoint: string; bodyHash: string }): string =>
  `${endpoint}/${bodyHash}`

/** Reverses {@link quarantineKey}. Returns `undefined` for the key of an event. */
export function parseQuarantineKey(key: string): { endpoint: string; bodyHash: string } | undefined {
  const slash = key.lastIndexOf('/')
  return slash < 0 ? undefined : { endpoint: key.slice(0, slash), bodyHash: key.slice(slash + 1) }
}

/**
 * Whether text is the key of a quarantined delivery of this endpoint. The id of an event may contain a slash too, and a sender
 * may even use the key of a delivery as an id.
 *
 * @example
 * for (const { key } of await receiver.audits()) {
 *   if (key && isDeliveryKey(key, receiver.endpoint)) {
 *     console.log(await receiver.inspectQuarantined(key))
 *   }
 * }
 */
export function isDeliveryKey(text: string, endpoint: string): boolean {
  const named = typeof text === 'string' ? parseQuarantineKey(text) : undefined
  return named?.endpoint === endpoint && /^[0-9a-f]{64}$/.test(named.bodyHash)
}
