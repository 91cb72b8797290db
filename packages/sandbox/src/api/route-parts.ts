import type { MiddlewareHandler } from 'hono'
import type { ZodType } from 'zod'
import type { Env } from './app.js'
import { requireJson } from './body.js'

/** The pieces that route definitions share. */

const requestId = { $ref: '#/components/headers/Request-Id' }
const assumption = { $ref: '#/components/headers/Sandbox-Assumption' }
const warning = { $ref: '#/components/headers/Sandbox-Warning' }
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
    'Sandbox-Warning': warning,
    'Idempotency-Replayed': replayed,
    Location: { description: 'The path of the new record.', schema: { type: 'string' as const } },
  },
})

export const jsonBody = <Schema extends ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
})

const reference = (status: number | string) => ({ $ref: `#/components/responses/${status}` })

/** The responses that every route can give. */
const always = [401, 421, 429, 500, 503]

type Problems = Record<number, ReturnType<typeof reference>>

const problems = (...statuses: readonly number[]): Problems =>
  Object.fromEntries([...always, ...statuses].sort().map((status) => [status, reference(status)]))

export const readProblems = problems(404, 422)
export const createProblems = problems(400, 403, 409, 413, 415, 422)
export const deleteProblems = problems(403, 404)
export const missingProblems = { ...problems(501), default: reference('default') }

/** Marks a route that depends on gaps of the interface, in the document and in its responses. */
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
