import type { Receiver } from 'webhook-inbox'
import type { Resolved } from '../options.js'
import { Problem } from '../problem.js'
import type { ConsoleAction } from '../wire.js'

/** The argument of a route. The right for the route was checked before. */
export interface Call {
  readonly options: Resolved
  readonly receiver: Receiver
  /** A part of the path, decoded. */
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  /** Whether the person has another right in addition to the right for the route. */
  readonly may: (action: ConsoleAction) => Promise<boolean>
  /** Whether a process may live although the store has no new report of it. */
  readonly mayMissReports: boolean
}

/** The additional arguments of a change. */
export interface ActCall extends Call {
  readonly body: Readonly<Record<string, unknown>>
  /** Who does it and why. */
  readonly audit: { readonly reason: string; readonly actor: string }
}

/** A right that depends on the body of a change, or on stored data. */
export interface FoundRight {
  /** A person who has none of these is rejected before anything is read. */
  readonly anyOf: readonly ConsoleAction[]
  /** The right that the change needs. Rejects with a `Problem` if the event or run does not exist. */
  readonly find: (call: Omit<ActCall, 'audit'>) => Promise<ConsoleAction>
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
      readonly action: ConsoleAction | FoundRight
      /** True for a route that only prepares a change. It has no audit. */
      readonly isPreparation?: true
      /** True for a change that is rejected unless the event is as the page showed it. So the same request changes it once. */
      readonly isOnce?: true
      /** True for a change of several commits: if one of them finds a lock, those before it were made. */
      readonly isInParts?: true
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

/** As {@link cursorOf}, for rows that have a place. Throws a `Problem`. */
export const placeOf = (query: URLSearchParams): number | undefined => placeAt(cursorOf(query))

/** The place that a cursor names; `undefined` for the first page. Throws a `Problem`. */
export function placeAt(cursor: unknown): number | undefined {
  const place = Number(cursor ?? 0)
  if (!Number.isSafeInteger(place) || place < 0) {
    throw new Problem('invalid_request', 'cursor must be the next of the page before')
  }
  return cursor === undefined ? undefined : place
}

/** A page of rows that have a place, of one row more than fit. */
export function pageOf<Row extends { readonly place: number }>(found: readonly Row[], limit: number) {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: found.length > limit && last ? { next: String(last.place) } : {} }
}
