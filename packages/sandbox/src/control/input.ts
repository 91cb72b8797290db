import type { Context } from 'hono'
import { firstIssue, PageQuery } from 'webhook-inbox-client/schemas'
import type { ZodType, z } from 'zod'
import type { Env } from '../api/app.js'
import { parseJson } from '../api/body.js'
import { Problem } from '../api/problems.js'

/** The JSON body of a request. No body counts as `{}`. Throws `Problem`. */
export async function bodyOf<Schema extends ZodType>(
  c: Context<Env>,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await c.req.text()
  const value = text === '' ? {} : parseJson(text)
  if (value === undefined) {
    throw new Problem('malformed_request', 'The body is not valid JSON.')
  }
  return parsed(schema, value)
}

/** `limit` and `cursor` of a list. Throws `Problem`. */
export function pageQueryOf(c: Context<Env>): PageQuery {
  return parsed(PageQuery, c.req.query())
}

function parsed<Schema extends ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) {
    return result.data
  }
  const { param, message } = firstIssue(result.error)
  throw new Problem('invalid_request', `${param ?? 'The body'} ${message}.`, { param })
}
