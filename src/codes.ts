/**
 * Every code that a delivery can be answered with: its HTTP status and what the operator is told.
 * The sender sees the code alone; the fact, the cause and the fix go to `onResult` and the log.
 */
interface CodeEntry {
  readonly status: number
  /** What happened. */
  readonly fact: string
  /** Why it usually happens. */
  readonly cause: string
  /** What to do about it. */
  readonly fix: string
}

export const codes = {
  missing_signature: {
    status: 401,
    fact: 'the delivery carries no Service-Signature header',
    cause: 'it does not come from the sender, or a proxy strips the header',
    fix: 'let the proxy pass Service-Signature and Service-Event-Id through',
  },
  malformed_signature: {
    status: 401,
    fact: 'the Service-Signature header is not t=<unix seconds>,v1=<signature>',
    cause: 'it was forged, sent twice, or rewritten on the way',
    fix: 'compare the header the sender logs with the one that arrives',
  },
  signature_mismatch: {
    status: 401,
    fact: 'no signature in the header belongs to these bytes under any secret',
    cause: 'the secret is another endpoint’s, or the body was changed on the way',
    fix: 'check this endpoint’s secret, and mount the receiver before any body parser',
  },
  timestamp_out_of_tolerance: {
    status: 401,
    fact: 'the signature is right but its timestamp is too far from this clock',
    cause: 'an old delivery was replayed, or one of the two clocks is wrong',
    fix: 'synchronize this clock; ask the sender to deliver again',
  },
  event_id_missing: {
    status: 400,
    fact: 'the delivery carries no Service-Event-Id header, and this receiver requires it',
    cause: 'a proxy strips the header',
    fix: 'let it pass, or leave requireEventIdHeader out: the signed body carries the id',
  },
  event_id_mismatch: {
    status: 400,
    fact: 'the Service-Event-Id header differs from the id in the signed body',
    cause: 'the unsigned header was altered or sent twice',
    fix: 'compare the headers the sender logs with those that arrive',
  },
  event_id_conflict: {
    status: 400,
    fact: 'an event with this id but other content was received before',
    cause: 'the sender re-used an id, or rewrote an event',
    fix: 'ask the sender which of the two is right; this one was not run',
  },
  invalid_encoding: {
    status: 400,
    fact: 'the signed body is not UTF-8',
    cause: 'the sender signs bytes in another encoding',
    fix: 'report it to the sender: JSON is UTF-8 (RFC 8259, 8.1)',
  },
  invalid_json: {
    status: 400,
    fact: 'the signed body is not JSON that can be read in one way only',
    cause: 'it is malformed, nests too deep, repeats a top-level key, or starts with a byte order mark',
    fix: 'report it to the sender with the event id',
  },
  invalid_envelope: {
    status: 400,
    fact: 'the signed body is not an event envelope',
    cause: 'id, type, createdAt (or created_at) or data is missing or has the wrong shape',
    fix: 'report it to the sender with the event id',
  },
  invalid_data: {
    status: 400,
    fact: 'the event’s data does not fit its schema',
    cause: 'the sender changed the payload, or the schema is stricter than the payload',
    fix: 'compare the two; a number that a double cannot hold must arrive as a string',
  },
  environment_not_allowed: {
    status: 400,
    fact: 'the event comes from an environment that this receiver does not accept',
    cause: 'a sandbox subscription points at a production endpoint, or the other way round',
    fix: 'correct the subscription’s url, or the environments option',
  },
  body_incomplete: {
    status: 400,
    fact: 'the connection closed before the whole body had arrived',
    cause: 'the sender or a proxy gave up',
    fix: 'none needed: the sender delivers again',
  },
  method_not_allowed: {
    status: 405,
    fact: 'the request is not a POST',
    cause: 'a health check or a browser called the webhook url',
    fix: 'point it at another path',
  },
  body_too_large: {
    status: 413,
    fact: 'the body is larger than maxBodyBytes',
    cause: 'it is not a webhook, or events have grown',
    fix: 'raise maxBodyBytes if the sender really sends such events',
  },
  unsupported_media_type: {
    status: 415,
    fact: 'the content type is not JSON',
    cause: 'the request does not come from the sender',
    fix: 'none needed, unless a proxy rewrites Content-Type',
  },
  unsupported_content_encoding: {
    status: 415,
    fact: 'the body is compressed',
    cause: 'a proxy compresses requests; the signature covers what the sender wrote',
    fix: 'turn request compression off for this path',
  },
  body_already_read: {
    status: 500,
    fact: 'the body was read before the receiver saw it, so its exact bytes are gone',
    cause: 'a body parser such as express.json() runs first',
    fix: 'mount the receiver before the parser, or keep the raw bytes (README: raw body)',
  },
  handler_failed: {
    status: 500,
    fact: 'the handler threw or rejected',
    cause: 'see cause; the claim was released',
    fix: 'mend the handler; the sender delivers again',
  },
  handler_timeout: {
    status: 503,
    fact: 'the handler did not settle within handlerTimeoutSeconds',
    cause: 'it waits for something slow; its claim is kept until it settles or the lease ends',
    fix: 'pass the signal on, raise handlerTimeoutSeconds, or configure a queue',
  },
  store_unavailable: {
    status: 503,
    fact: 'the store did not answer, or refused its configuration',
    cause: 'it is down, full, or fails the check that start() makes',
    fix: 'see cause; nothing was acknowledged and the sender delivers again',
  },
  secret_unavailable: {
    status: 503,
    fact: 'the secret could not be loaded',
    cause: 'the secret resolver threw, was too slow, or returned nothing usable',
    fix: 'see cause; nothing was acknowledged and the sender delivers again',
  },
  in_progress: {
    status: 503,
    fact: 'another delivery of this event is being worked on',
    cause: 'the sender retried before the first attempt had ended',
    fix: 'none needed: the sender delivers again and finds the event done',
  },
} as const satisfies Record<string, CodeEntry>

/** A code that a delivery can be answered with. The union is closed. */
export type Code = keyof typeof codes

/** Text from outside, such as the name of a key, made safe for a line of a log: bounded, without control characters. */
export function oneLine(text: string): string {
  const bounded = text.length > longestDetail ? `${text.slice(0, longestDetail)}…` : text
  return bounded.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

const longestDetail = 300

/** One line for the operator: the fact, the likely cause, the fix and the link. */
export function explain(code: Code, detail?: string): string {
  const { fact, cause, fix } = codes[code]
  return `${code}: ${fact}${detail ? ` (${oneLine(detail)})` : ''}; likely cause: ${cause}; fix: ${fix}; see README#${code}`
}
