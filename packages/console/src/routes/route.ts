import type { Receiver } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import { Problem } from '../problem.js'
import type { ConsoleAction } from '../wire.js'

/** What a route gets. The right of the route has been checked. */
export interface Call {
  readonly options: Resolved
  readonly receiver: Receiver
  /** A part of the path, decoded. */
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  /** Whether the person may do something beside what the route asks for. */
  readonly may: (action: ConsoleAction) => Promise<boolean>
}

/** What an act gets besides. */
export interface ActCall extends Call {
  readonly body: Readonly<Record<string, unknown>>
  /** Who does it and why. */
  readonly audit: { readonly reason: string; readonly actor: string }
}

/** A route below `api/`. One table of them serves the router and the tests. */
export type Route =
  | {
      readonly method: 'GET'
      readonly path: string
      readonly action: ConsoleAction
      readonly run: (call: Call) => Promise<unknown>
    }
  | {
      readonly method: 'POST'
      readonly path: string
      readonly action: ConsoleAction
      readonly run: (call: ActCall) => Promise<unknown>
    }

/** Maximum rows of one page. */
const mostRows = 200

/** How many rows a person asked for; default 50. Throws a `Problem`. */
export function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 50)
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > mostRows) {
    throw new Problem('invalid_request', `limit must be a whole number from 1 to ${mostRows}`)
  }
  return limit
}

/** Where a page begins; `undefined` for the first one. */
export const cursorOf = (query: URLSearchParams): string | undefined => query.get('cursor') || undefined
