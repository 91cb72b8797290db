import type * as z from 'zod'
import { firstIssue } from '../../src/schemas/index.js'

/** The field that a request is rejected for, and why; undefined where it is accepted. */
export function refusal(schema: z.ZodType, body: unknown) {
  const result = schema.safeParse(body)
  return result.success ? undefined : firstIssue(result.error)
}

/** The field alone. */
export const param = (schema: z.ZodType, body: unknown) => refusal(schema, body)?.param
