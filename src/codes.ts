/** The HTTP status of a code, and the text in the log for the operator. */
interface CodeEntry {
  readonly status: number
  /** What happened. */
  readonly fact: string
  /** Why it usually happens. */
  readonly cause: string
  /** What to do about it. */
  readonly fix: string
  /** What else to do where there is no queue. */
  readonly withoutQueue?: string
}

/** The codes of `VerificationError`. They are apart, so that a page that only verifies signatures contains only their texts. */
const signatureCodes = {
  missing_signature: {
    status: 401,
    fact: 'no Service-Signature header',
    cause: 'another client sent the request, or a proxy removed the header',
    fix: 'let the proxy pass Service-Signature and Service-Event-Id',
  },
  malformed_signature: {
    status: 401,
    fact: 'Service-Signature is not t=<unix seconds>,v1=<signature>',
    cause: 'it was forged, sent twice, or changed by a proxy',
    fix: 'compare the header with what the sender logs',
  },
  signature_mismatch: {
    status: 401,
    fact: 'no signature in the header matches this body with any configured secret',
    cause: 'the secret belongs to another endpoint, or something changed the body',
    fix: 'check the secret; mount the receiver before any body parser; run webhook-inbox verify of the package webhook-inbox-cli, which finds the cause',
  },
  timestamp_out_of_tolerance: {
    status: 401,
    fact: 'the signature matches, but its timestamp is too far from this clock',
    cause: 'an old delivery was replayed, or a clock is wrong',
    fix: 'synchronize this clock; ask the sender to deliver again',
  },
} as const satisfies Record<string, CodeEntry>

/** What is wrong with the content of a signed delivery. */
const contentCodes = {
  event_id_missing: {
    status: 400,
    fact: 'no Service-Event-Id header, which this receiver requires',
    cause: 'a proxy removed the header',
    fix: 'let the proxy pass the header, or remove requireEventIdHeader',
  },
  event_id_mismatch: {
    status: 400,
    fact: 'Service-Event-Id differs from the id in the signed body',
    cause: 'something changed the unsigned header, or it was sent twice',
    fix: 'compare the header with what the sender logs',
  },
  event_id_conflict: {
    status: 400,
    fact: 'an event with this id and other content was received before',
    cause: 'the sender used an id twice, or changed an event',
    fix: 'ask the sender which of the two events is correct',
  },
  invalid_encoding: {
    status: 400,
    fact: 'the signed body is not UTF-8',
    cause: 'the sender signs another encoding',
    fix: 'report it to the sender: JSON is UTF-8',
  },
  invalid_json: {
    status: 400,
    fact: 'the signed body is not valid JSON, or is ambiguous',
    cause: 'it is malformed, too deep, repeats a top-level key, or starts with a byte order mark',
    fix: 'report it to the sender',
  },
  invalid_envelope: {
    status: 400,
    fact: 'the signed body is not an event',
    cause: 'id, type, createdAt (or created_at) or data is missing or has the wrong form',
    fix: 'report it to the sender',
  },
  invalid_data: {
    status: 400,
    fact: 'the event’s data does not fit its schema, or JavaScript cannot represent a number exactly',
    cause: 'the sender changed the data, the schema is too strict, or a number is too large or too precise',
    fix: "correct the schema and replay the event; for a number, ask the sender to send it as a string, or set inexactNumbers: 'round' and verify again",
    withoutQueue: 'a replay needs a queue such as localQueue()',
  },
  environment_not_allowed: {
    status: 400,
    fact: 'this receiver does not accept the environment of the event',
    cause: 'a sandbox subscription points at a production endpoint, or the reverse',
    fix: 'correct the subscription’s url, or the environments option',
  },
} as const satisfies Record<string, CodeEntry>

/** Of a request that is rejected before its content is read. */
const requestCodes = {
  body_incomplete: {
    status: 400,
    fact: 'the connection closed before the whole body had arrived',
    cause: 'the sender or a proxy gave up',
    fix: 'none needed: the sender delivers again',
  },
  body_timeout: {
    status: 408,
    fact: 'the body did not arrive within bodyTimeoutSeconds',
    cause: 'the connection is slow, or a client keeps it open on purpose',
    fix: 'raise bodyTimeoutSeconds if your deliveries need more time',
  },
  method_not_allowed: {
    status: 405,
    fact: 'the request is not a POST',
    cause: 'a health check or a browser called',
    fix: 'use another path for health checks',
  },
  body_too_large: {
    status: 413,
    fact: 'the body is larger than maxBodyBytes',
    cause: 'events have grown, or the request is not an event',
    fix: 'raise maxBodyBytes if events are that large',
  },
  unsupported_media_type: {
    status: 415,
    fact: 'the content type is not JSON in UTF-8',
    cause: 'another client sent the request, or a proxy changed Content-Type',
    fix: 'let the proxy pass Content-Type unchanged',
  },
  unsupported_content_encoding: {
    status: 415,
    fact: 'the body is compressed',
    cause: 'a proxy compresses requests',
    fix: 'turn compression off for this path',
  },
  body_already_read: {
    status: 500,
    fact: 'the body was already read, so its exact bytes are gone',
    cause:
      'a body parser such as express.json(), koa-bodyparser or await request.json() ran before the receiver',
    fix: 'mount the receiver before the parser, or keep the raw bytes in rawBody (a Buffer, not text); in pages of Next, set bodyParser: false',
  },
} as const satisfies Record<string, CodeEntry>

const handlingCodes = {
  handler_failed: {
    status: 500,
    fact: 'the handler, or another function of yours, threw or returned an invalid value',
    cause: 'an error in your code, or in a service that it calls',
    fix: 'correct the code at the place of the error; until then the sender or the queue repeats the event',
  },
  handler_timeout: {
    status: 503,
    fact: 'the handler did not settle within its time',
    cause: 'the handler waits for a slow call; it keeps its claim until it settles or the lease ends',
    fix: 'pass context.signal to slow calls, or raise handlerTimeoutSeconds; on Lambda, raise the timeout of the function',
    withoutQueue: 'add a queue, so that the response does not wait for the handler',
  },
  store_unavailable: {
    status: 503,
    fact: 'the store did not respond, or its check failed',
    cause: 'the database is down, full or misconfigured',
    fix: 'check the database; the sender delivers again',
  },
} as const satisfies Record<string, CodeEntry>

/** Of a delivery that is not handled now. */
const laterCodes = {
  secret_unavailable: {
    status: 503,
    fact: 'the secret could not be loaded',
    cause: 'the secret resolver threw, was too slow, or returned no valid secret',
    fix: 'check what the resolver reads; the sender delivers again',
  },
  in_progress: {
    status: 503,
    fact: 'another delivery of this event is being processed',
    cause: 'the sender retried too soon',
    fix: 'none needed: the sender delivers again',
  },
} as const satisfies Record<string, CodeEntry>

/**
 * Every code of an answer. The sender gets only the code. `docs/codes.md` is generated from this table. It is made in a call that
 * is marked pure, so that a page contains only the texts that it uses.
 */
export const codes = /* @__PURE__ */ (() => ({
  ...signatureCodes,
  ...contentCodes,
  ...requestCodes,
  ...handlingCodes,
  ...laterCodes,
}))()

/** A code that a delivery can be answered with. The union is closed. */
export type Code = keyof typeof codes

/**
 * Makes text from outside, such as the name of a key, safe for a log line. Removes control characters and line
 * separators, and cuts the text to `length` characters.
 */
export function oneLine(text: string, length = longestDetail): string {
  const bounded = text.length > length ? `${text.slice(0, length)}…` : text
  return bounded.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

const longestDetail = 300

/** For a list or another message, where the texts of a code are too long. */
export const codeWithDetail = (code: Code, detail?: string): string => (detail ? `${code}: ${detail}` : code)

/** One line for the operator: the fact, the likely cause, the fix, and the document to read. */
export const explain = (code: Code, detail?: string, hasQueue = false): string =>
  lineOf(code, codes[code], detail, adviceOn(code, hasQueue))

/** No code of a signature has advice about a queue. */
export const explainSignature = (code: keyof typeof signatureCodes, detail?: string): string =>
  lineOf(code, signatureCodes[code], detail, adviceOf(code, signatureCodes[code].fix))

/** What to do about a code, for a line that names the cause itself. */
export const adviceOn = (code: Code, hasQueue: boolean): string =>
  adviceOf(code, fixOf(codes[code], hasQueue))

/** The fix and the document to read. */
export const adviceOf = (code: string, fix: string) => `fix: ${fix}; ${documentOf(code)}`

/** Advice to add a queue would only confuse where there is one. */
export const fixOf = ({ fix, withoutQueue }: CodeEntry, hasQueue: boolean): string =>
  hasQueue || withoutQueue === undefined ? fix : `${fix}; ${withoutQueue}`

const documentOf = (code: string) => `see node_modules/webhook-inbox/docs/codes.md#${code}`

function lineOf(
  code: string,
  { fact, cause }: CodeEntry,
  detail: string | undefined,
  advice: string,
): string {
  return `${code}: ${fact}${detail ? ` (${oneLine(detail)})` : ''}; likely cause: ${cause}; ${advice}`
}
