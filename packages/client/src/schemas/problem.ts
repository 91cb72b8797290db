import * as z from 'zod'
import { assumed, openSet } from './meta.js'

/** The body of a response outside 2xx: RFC 9457, `application/problem+json`. */
export const Problem = z
  .looseObject({
    type: z.string().meta({ description: 'A URI of the kind of problem.', examples: ['about:blank'] }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: openSet([
      'malformed_request',
      'unauthorized',
      'forbidden',
      'not_found',
      'method_not_allowed',
      'conflict',
      'idempotency_key_in_use',
      'idempotency_key_reused',
      'body_too_large',
      'unsupported_media_type',
      'invalid_request',
      'insufficient_funds',
      'currency_mismatch',
      'rate_limited',
      'internal_error',
      'not_implemented',
      'unavailable',
    ]),
    param: z
      .string()
      .optional()
      .meta({
        description: 'The field that is wrong, as a path.',
        examples: ['destination.phone'],
      }),
    requestId: z.string().meta({ description: 'Equal to the Request-Id header.' }),
  })
  .meta(assumed('G24', { id: 'Problem', description: 'Why a request was rejected.' }))
export type Problem = z.infer<typeof Problem>
