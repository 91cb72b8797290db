import { requireObject } from '../given-options.js'
import { checkChoice, checkName, checkTime } from './check-values.js'
import type { InboxState } from './inbox-event.js'

/**
 * The conditions that an event must meet, for `list` and for plans. An event must meet all of them.
 */
export interface EventFilter {
  /** Default: every state. */
  readonly state?: InboxState | undefined
  /** A type, or its beginning and `.*`, such as `transfer.*`. */
  readonly type?: string | undefined
  /** The `group` of a failure: events that failed, or are dead, for this cause. */
  readonly group?: string | undefined
  /** The resource that the events were accepted with. */
  readonly resource?: string | undefined
  /** Events received at this time or later. */
  readonly since?: Date | undefined
  /** Events received before this time. */
  readonly until?: Date | undefined
  /** The `root` of an event: the event that was edited first, and all edited copies of it. */
  readonly root?: string | undefined
  /** The key of one event. */
  readonly key?: string | undefined
  /**
   * A part of the last error, in upper or lower case. Only failed and dead events have one. A store reads at most
   * {@link mostSearched} of each of these states from where the page begins.
   */
  readonly text?: string | undefined
}

/** How many events of one state a search for a text reads. Other conditions have an index. */
export const mostSearched = 10_000

const states: readonly InboxState[] = ['accepted', 'failed', 'done', 'dead']
const withError: readonly InboxState[] = ['failed', 'dead']

/** Throws `ConfigurationError` `invalid_option` for a condition of the wrong type. */
export function checkFilter(filter: EventFilter): void {
  requireObject('a filter', filter)
  if (filter.state !== undefined) {
    checkChoice('state', filter.state, states)
  }
  for (const name of ['type', 'group', 'resource', 'root', 'key', 'text'] as const) {
    if (filter[name] !== undefined) {
      checkName(name, filter[name])
    }
  }
  for (const name of ['since', 'until'] as const) {
    if (filter[name] !== undefined) {
      checkTime(name, filter[name])
    }
  }
}

/** The states in which an event can meet the conditions. Empty if no event can. */
export function statesOf({ state, group, text }: EventFilter): readonly InboxState[] {
  const possible = group === undefined && text === undefined ? states : withError
  return state === undefined ? possible : possible.filter((each) => each === state)
}

/** What a type must begin with; `undefined` if the condition names one type. */
export function typePrefix(type: string): string | undefined {
  return type.endsWith('.*') ? type.slice(0, -1) : undefined
}
