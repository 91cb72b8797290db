import { bytesOf } from '../database/blob.js'
import type { Database } from '../database/open.js'
import type { Envelope } from '../options/options.js'
import type { AttemptResult } from './attempt.js'
import type { FaultName } from './chaos.js'
import { readEvent } from './events.js'
import type { HeaderList, Timings } from './exchange.js'
import type { Failure } from './failure.js'

/** What a person changed before an attempt was sent. */
export interface Edited {
  /** How it was signed: `fresh`, `original`, `wrong` or `none`. */
  readonly signature: string
  /** How far `t` of a new signature lay in the past, in seconds. */
  readonly ageSeconds: number
  /** True if only the signature is another one. */
  readonly isSameBody: boolean
}

/** One HTTP request for a delivery, and what came back. */
export interface Attempt {
  readonly deliveryId: string
  /** Counted from 1. */
  readonly number: number
  /** Unix milliseconds by the sandbox's clock. */
  readonly startedAt: number
  /** Unix milliseconds by the system clock, by which receivers judge the signature. */
  readonly sentAt: number | undefined
  readonly request: { readonly headers: HeaderList; readonly body: Uint8Array }
  /** The response, as far as it arrived. */
  readonly response:
    | {
        readonly status: number
        readonly headers: HeaderList
        /** The first 64 KiB. */
        readonly body: Uint8Array
        readonly isTruncated: boolean
      }
    | undefined
  /** Why no complete response arrived. */
  readonly failure: Failure | undefined
  /** The faults of chaos that happened to it. */
  readonly faults: readonly FaultName[]
  /** Milliseconds since its start, by the system clock. */
  readonly timings: Timings
  /** The outcome in the response of a receiver of webhook-inbox, such as `processed`. */
  readonly outcome: string | undefined
  /** The code in the response of such a receiver. */
  readonly code: string | undefined
  /** When the next attempt is due, in unix milliseconds by the sandbox's clock. */
  readonly nextTryAt: number | undefined
  /** Only of an attempt with edited bytes or an edited signature. */
  readonly edited?: Edited | undefined
}

/** True if the receiver took the event: a complete response with a 2xx status. */
export const isAcknowledged = ({ answer, failure }: Pick<AttemptResult, 'answer' | 'failure'>): boolean =>
  failure === undefined && answer !== undefined && answer.status >= 200 && answer.status < 300

/** The attempt in its stored form. */
export function attemptOf(
  deliveryId: string,
  number: number,
  startedAt: number,
  result: AttemptResult,
  nextTryAt: number | undefined,
): Attempt {
  const { answer: response, failure, faults, timings, headers, body, sentAt } = result
  const verdict = verdictOf(response?.body)
  return {
    deliveryId,
    number,
    startedAt,
    sentAt,
    request: { headers, body },
    response,
    failure,
    faults,
    timings,
    ...verdict,
    nextTryAt,
  }
}

/** Receivers of webhook-inbox respond with `{"outcome", "code"?, "eventId"?}`. Any other body has no verdict. */
function verdictOf(body: Uint8Array | undefined): Pick<Attempt, 'outcome' | 'code'> {
  const nothing = { outcome: undefined, code: undefined }
  if (!body || body.length === 0 || body.length > 4096) {
    return nothing
  }
  try {
    const { outcome, code } = Object(JSON.parse(Buffer.from(body).toString())) as Record<string, unknown>
    return isWord(outcome) ? { outcome, code: isWord(code) ? code : undefined } : nothing
  } catch {
    return nothing
  }
}

const isWord = (value: unknown): value is string => typeof value === 'string' && /^[a-z_]{1,64}$/.test(value)

/** Stores an attempt. A body that is the event's own is not stored again. */
export function insertAttempt(database: Database, attempt: Attempt, eventBody: Uint8Array): void {
  const { deliveryId, number, startedAt, request, response, ...rest } = attempt
  const { body: responseBody, ...head } = response ?? { body: undefined }
  const record = JSON.stringify({ ...rest, requestHeaders: request.headers, response: response && head })
  const isUnchanged = Buffer.compare(request.body, eventBody) === 0
  const requestBody = isUnchanged ? null : request.body
  const size = record.length + (requestBody?.length ?? 0) + (responseBody?.length ?? 0)
  database
    .prepare(
      `INSERT INTO attempts (delivery_id, number, started_at, size, record, request_body, response_body)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(deliveryId, number, startedAt, size, record, requestBody, responseBody ?? null)
}

interface Attempted {
  readonly id: string
  readonly eventId: string
  readonly envelope: Envelope
}

/** The attempts of a delivery that were not pruned, the oldest first. */
export function attemptsOf(database: Database, { id, eventId, envelope }: Attempted): Attempt[] {
  const event = readEvent(database, eventId)
  if (!event) {
    return []
  }
  const rows = database.prepare('SELECT * FROM attempts WHERE delivery_id = ? ORDER BY number').all(id)
  return (rows as AttemptRow[]).map((row) => restore(row, event.bodies[envelope]))
}

interface AttemptRow {
  readonly delivery_id: string
  readonly number: number
  readonly started_at: number
  readonly record: string
  readonly request_body: Uint8Array | null
  readonly response_body: Uint8Array | null
}

/** `attempts.record`, as JSON. */
export type StoredAttempt = Omit<Attempt, 'deliveryId' | 'number' | 'startedAt' | 'request' | 'response'> & {
  readonly requestHeaders: HeaderList
  readonly response: Omit<NonNullable<Attempt['response']>, 'body'> | undefined
}

function restore(row: AttemptRow, eventBody: Uint8Array): Attempt {
  const { requestHeaders, response, ...rest } = JSON.parse(row.record) as StoredAttempt
  return {
    ...rest,
    deliveryId: row.delivery_id,
    number: row.number,
    startedAt: row.started_at,
    request: { headers: requestHeaders, body: row.request_body ? bytesOf(row.request_body) : eventBody },
    response: response && { ...response, body: bytesOf(row.response_body ?? new Uint8Array()) },
  }
}
