import type { Context } from 'hono'
import { PageQuery } from 'webhook-inbox-client/schemas'
import type { ZodType, z } from 'zod'
import type { Env } from '../api/app.js'
import { parseJson } from '../api/body.js'
import { invalidRequest, Problem } from '../api/problems.js'

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

/** The query of a request. Throws `Problem`. */
export const queryOf = <Schema extends ZodType>(c: Context<Env>, schema: Schema): z.output<Schema> =>
  parsed(schema, c.req.query())

/** `limit` and `cursor` of a list. Throws `Problem`. */
export const pageQueryOf = (c: Context<Env>): PageQuery => queryOf(c, PageQuery)

function parsed<Schema extends ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) {
    return result.data
  }
  throw invalidRequest(result.error)
}
