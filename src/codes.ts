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
    fact: 'no Service-Signature header',
    cause: 'it is not the sender, or a proxy strips it',
    fix: 'let the proxy pass Service-Signature and Service-Event-Id',
  },
  malformed_signature: {
    status: 401,
    fact: 'Service-Signature is not t=<unix seconds>,v1=<signature>',
    cause: 'it was forged, sent twice, or rewritten on the way',
    fix: 'compare it with what the sender logs',
  },
  signature_mismatch: {
    status: 401,
    fact: 'no signature is of these bytes under any secret',
    cause: 'it is another endpoint’s secret, or the body was changed on the way',
    fix: 'check the secret; mount the receiver before any body parser',
  },
  timestamp_out_of_tolerance: {
    status: 401,
    fact: 'the signature is right, its timestamp too far from this clock',
    cause: 'an old delivery was replayed, or a clock is wrong',
    fix: 'synchronize this clock; ask the sender to deliver again',
  },
  event_id_missing: {
    status: 400,
    fact: 'no Service-Event-Id header, which this receiver requires',
    cause: 'a proxy strips it',
    fix: 'let it pass, or leave requireEventIdHeader out',
  },
  event_id_mismatch: {
    status: 400,
    fact: 'Service-Event-Id differs from the id in the signed body',
    cause: 'the unsigned header was altered or sent twice',
    fix: 'compare it with what the sender logs',
  },
  event_id_conflict: {
    status: 400,
    fact: 'an event with this id but other content was received before',
    cause: 'the sender re-used an id, or rewrote an event',
    fix: 'ask the sender which is right',
  },
  invalid_encoding: {
    status: 400,
    fact: 'the signed body is not UTF-8',
    cause: 'the sender signs another encoding',
    fix: 'report it to the sender: JSON is UTF-8',
  },
  invalid_json: {
    status: 400,
    fact: 'the signed body is not JSON that reads in one way only',
    cause: 'it is malformed, too deep, repeats a top-level key, or starts with a byte order mark',
    fix: 'report it to the sender',
  },
  invalid_envelope: {
    status: 400,
    fact: 'the signed body is not an event',
    cause: 'id, type, createdAt (or created_at) or data is missing or misshapen',
    fix: 'report it to the sender',
  },
  invalid_data: {
    status: 400,
    fact: 'the event’s data does not fit its schema',
    cause: 'the sender changed it, or the schema is too strict',
    fix: 'compare them; a number that no double holds must come as a string',
  },
  environment_not_allowed: {
    status: 400,
    fact: 'the event’s environment is not accepted here',
    cause: 'a sandbox subscription points at a production endpoint, or the reverse',
    fix: 'correct the subscription’s url, or the environments option',
  },
  body_incomplete: {
    status: 400,
    fact: 'the connection closed before the whole body had arrived',
    cause: 'the sender or a proxy gave up',
    fix: 'none needed: the sender delivers again',
  },
  body_timeout: {
    status: 408,
    fact: 'the body did not arrive within bodyTimeoutSeconds',
    cause: 'the connection is slow, or somebody holds it open on purpose',
    fix: 'raise bodyTimeoutSeconds if deliveries really take that long',
  },
  method_not_allowed: {
    status: 405,
    fact: 'the request is not a POST',
    cause: 'a health check or a browser called',
    fix: 'point it at another path',
  },
  body_too_large: {
    status: 413,
    fact: 'the body is larger than maxBodyBytes',
    cause: 'events have grown, or it is no event',
    fix: 'raise maxBodyBytes if they are',
  },
  unsupported_media_type: {
    status: 415,
    fact: 'the content type is not JSON',
    cause: 'it is not the sender, or a proxy rewrites Content-Type',
    fix: 'let the proxy pass it',
  },
  unsupported_content_encoding: {
    status: 415,
    fact: 'the body is compressed',
    cause: 'a proxy compresses requests',
    fix: 'turn that off for this path',
  },
  body_already_read: {
    status: 500,
    fact: 'the body was read before: its exact bytes are gone',
    cause: 'a body parser such as express.json() runs first',
    fix: 'mount the receiver before the parser, or keep the raw bytes',
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
    cause: 'it waits for something slow; the claim is kept until then or the lease ends',
    fix: 'pass the signal on, raise handlerTimeoutSeconds, or configure a queue',
  },
  store_unavailable: {
    status: 503,
    fact: 'the store did not answer, or refuses its configuration',
    cause: 'it is down, full, or fails its check',
    fix: 'see cause; the sender delivers again',
  },
  secret_unavailable: {
    status: 503,
    fact: 'the secret could not be loaded',
    cause: 'the resolver threw, was slow, or gave nothing usable',
    fix: 'see cause; the sender delivers again',
  },
  in_progress: {
    status: 503,
    fact: 'another delivery of this event is being worked on',
    cause: 'the sender retried too soon',
    fix: 'none needed: the sender delivers again',
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
