import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { firstIssue } from 'webhook-inbox-client/schemas'
import type { ZodError } from 'zod'
import type { RefusalCode } from '../bank/refusal.js'

interface ProblemKind {
  readonly status: ContentfulStatusCode
  readonly title: string
}

const kind = (status: ContentfulStatusCode, title: string): ProblemKind => ({ status, title })

/** Every code of a problem document. */
const problemKinds = {
  malformed_request: kind(400, 'The request cannot be read'),
  unauthorized: kind(401, 'No valid credential'),
  forbidden: kind(403, 'The credential does not permit this'),
  not_found: kind(404, 'Not found'),
  method_not_allowed: kind(405, 'The path does not support this method'),
  idempotency_key_in_use: kind(409, 'A request with this key is under way'),
  impossible_transition: kind(409, 'No such transition'),
  approval_decided: kind(409, 'The approval was decided before'),
  not_deliverable: kind(409, 'Nothing can be delivered'),
  body_too_large: kind(413, 'The body is too large'),
  unsupported_media_type: kind(415, 'The body must be JSON'),
  foreign_origin: kind(403, 'Not the origin of this sandbox'),
  foreign_host: kind(421, 'Not a host of this sandbox'),
  invalid_request: kind(422, 'A field is not valid'),
  idempotency_key_reused: kind(422, 'The key belongs to another request'),
  insufficient_funds: kind(422, 'The wallet has less than the amount'),
  currency_mismatch: kind(422, 'The wallet has another currency'),
  same_wallet: kind(422, 'A transfer needs two wallets'),
  unknown_destination_type: kind(422, 'No such destination type'),
  unknown_network: kind(422, 'No such network'),
  unknown_rail: kind(422, 'No such rail'),
  wallet_not_found: kind(422, 'No such wallet'),
  too_many_subscriptions: kind(422, 'Too many subscriptions'),
  rate_limited: kind(429, 'Too many requests'),
  internal_error: kind(500, 'The sandbox failed'),
  closing: kind(503, 'The sandbox is closing'),
  not_implemented: kind(501, 'The interface does not publish this'),
} as const satisfies Record<RefusalCode, ProblemKind> & Record<string, ProblemKind>

export type ProblemCode = keyof typeof problemKinds

interface ProblemExtras {
  /** The invalid field. */
  readonly param?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** The gap of the interface on which the response depends. Default G24. */
  readonly gap?: string
  /** A status other than the default of the code. */
  readonly status?: ContentfulStatusCode
}

/** A request that is rejected. The response is a problem document (RFC 9457). */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly extras: ProblemExtras

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    this.extras = extras
  }
}

/** The first field that a schema rejects. */
export function invalidRequest(error: ZodError): Problem {
  const { param, message } = firstIssue(error)
  // A message of Zod itself is a sentence of its own.
  const colon = /^[A-Z]/.test(message) ? ':' : ''
  return new Problem('invalid_request', `${param ?? 'The body'}${colon} ${message}.`, { param })
}

/** The response to a request that is rejected. */
export function problemAnswer(c: Context, problem: Problem): Response {
  const { title, ...kind } = problemKinds[problem.code]
  const { param, headers, gap = 'G24', status = kind.status } = problem.extras
  c.set('problem', problem.code)
  const body = {
    type: 'about:blank',
    title,
    status,
    detail: problem.message,
    code: problem.code,
    param,
    requestId: c.get('requestId'),
  }
  return c.body(JSON.stringify(body), status, {
    ...headers,
    'Content-Type': 'application/problem+json',
    'Sandbox-Assumption': gap,
  })
}
