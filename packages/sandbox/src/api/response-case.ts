import type { MiddlewareHandler } from 'hono'
import type { Options } from '../options/options.js'
import { snakeCaseKeys } from '../snake-case.js'
import type { Env } from './app.js'

/** True if responses have snake_case keys. */
export const isSnakeCase = ({ responseCase, envelope }: Options): boolean =>
  responseCase === 'snake' || (responseCase === 'follow-envelope' && envelope === 'snake_case')

/** Writes the keys of every 2xx response in snake_case. Problem documents keep the form of their standard. */
export const answerInSnakeCase: MiddlewareHandler<Env> = async (c, next) => {
  await next()
  const isJson = c.res.headers.get('content-type')?.startsWith('application/json')
  if (c.res.ok && isJson) {
    c.res = new Response(JSON.stringify(snakeCaseKeys(await c.res.json())), c.res)
  }
}
