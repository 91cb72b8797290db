import type { MiddlewareHandler } from 'hono'
import { Problem } from 'webhook-inbox-client/schemas'
import type { ZodType } from 'zod'
import type { Env } from './app.js'
import { requireJson } from './body.js'

/** The pieces that route definitions share. */

const requestId = { $ref: '#/components/headers/Request-Id' }
const assumption = { $ref: '#/components/headers/Sandbox-Assumption' }
const replayed = { $ref: '#/components/headers/Idempotency-Replayed' }

export const okOf = <Schema extends ZodType>(schema: Schema, description: string) => ({
  description,
  headers: { 'Request-Id': requestId, 'Sandbox-Assumption': assumption },
  content: { 'application/json': { schema } },
})

export const createdOf = <Schema extends ZodType>(schema: Schema, description: string) => ({
  ...okOf(schema, description),
  headers: {
    'Request-Id': requestId,
    'Sandbox-Assumption': assumption,
    'Idempotency-Replayed': replayed,
    Location: { description: 'The path of the new record.', schema: { type: 'string' as const } },
  },
})

export const jsonBody = <Schema extends ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
})

const meanings: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  401: 'No valid credential was given.',
  403: 'The credential may only read.',
  404: 'There is no such resource.',
  405: 'The path does not support this method.',
  409: 'A request with this Idempotency-Key is under way.',
  413: 'The body has more than 256 KiB.',
  415: 'The body is not JSON.',
  421: 'The Host header does not name this sandbox.',
  422: 'A field is not valid, the state forbids it, or the Idempotency-Key belongs to another request.',
  429: 'Too many requests.',
  500: 'The sandbox failed.',
  501: 'The interface does not publish this area.',
}

const problemOf = (status: number) => ({
  description: meanings[status] as string,
  headers: {
    'Request-Id': requestId,
    'Sandbox-Assumption': assumption,
    ...([409, 429].includes(status) && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
    ...(status === 401 && { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } }),
  },
  content: { 'application/problem+json': { schema: Problem } },
})

/** What every route can answer. */
const always = [401, 421, 429, 500]

type Problems = Record<number, ReturnType<typeof problemOf>>

const problems = (...statuses: readonly number[]): Problems =>
  Object.fromEntries([...always, ...statuses].sort().map((status) => [status, problemOf(status)]))

export const readProblems = problems(404, 422)
export const createProblems = problems(400, 403, 409, 413, 415, 422)
export const deleteProblems = problems(403, 404)
export const missingProblems = problems(400, 403, 409, 413, 501)

/** Marks a route that rests on gaps of the interface, in the document and in its answers. */
export const assume = (...gaps: readonly string[]) => ({
  middleware: [markOf(gaps)],
  'x-assumed': gaps.join(', '),
})

/** As {@link assume}, for a route that takes a JSON body. */
export const acceptJson = (...gaps: readonly string[]) => ({
  middleware: [markOf(gaps), requireJson],
  'x-assumed': gaps.join(', '),
})

function markOf(gaps: readonly string[]): MiddlewareHandler<Env> {
  return (c, next) => {
    c.set('assumptions', gaps.join(', '))
    return next()
  }
}
