import type { ListQuery, Receiver, StoredEvent } from 'webhook-inbox'
import type { Options, Values } from '../command.js'
import { UsageError } from '../exit.js'
import { durationSeconds } from '../numbers.js'
import type { Printer } from '../printer.js'

const states = ['accepted', 'failed', 'done', 'dead'] as const
type State = (typeof states)[number]

export const stateOption = {
  state: { type: 'string', value: 'STATE', choices: states, help: 'Only events in this state' },
} as const satisfies Options

export const filterOptions = {
  type: { type: 'string', value: 'TYPE', help: 'Only events of this type; transfer.* for all that begin so' },
  group: {
    type: 'string',
    value: 'GROUP',
    help: 'Only events that failed for this cause: the id of its group, or the beginning of it',
  },
  resource: { type: 'string', value: 'NAME', help: 'Only events of this resource' },
  since: {
    type: 'string',
    value: 'DURATION|TIME',
    help: 'Only events received since: a duration ago such as 15m, 2h or 7d, or an RFC 3339 time',
  },
  until: {
    type: 'string',
    value: 'DURATION|TIME',
    help: 'Only events received before: a duration ago, or an RFC 3339 time',
  },
} as const satisfies Options

export const rootOption = {
  root: { type: 'string', value: 'ID', help: 'Only this event and the edited copies of it' },
} as const satisfies Options

/** Which events to find, as `receiver.list` and `receiver.plan` take it. */
export interface EventFilter {
  readonly state?: State | undefined
  readonly type?: string | undefined
  readonly group?: string | undefined
  readonly resource?: string | undefined
  readonly root?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

const names = ['type', 'group', 'resource', 'root'] as const

/** `now` in Unix seconds. Throws `UsageError`. */
export function readFilter(
  values: Values<typeof filterOptions> & Pick<EventFilter, 'root'> & { readonly state?: string | undefined },
  now: number,
): EventFilter {
  const { state, type, group, resource, root } = values
  for (const name of names) {
    // Usually a variable of a shell that is not set. No event has an empty one.
    if (values[name] === '') {
      throw new UsageError(`--${name} must not be empty`)
    }
  }
  const timeOf = (name: 'since' | 'until') => {
    const text = values[name]
    return text === undefined ? undefined : readTime(name, text, now)
  }
  return {
    state: state as State | undefined,
    type,
    group,
    resource,
    ...(root !== undefined && { root }),
    since: timeOf('since'),
    until: timeOf('until'),
  }
}

function readTime(name: string, text: string, now: number): Date {
  const time = /^\d+(\.\d+)?[smhd]?$/.test(text)
    ? (now - durationSeconds(name, text)) * 1000
    : parseTime(text)
  if (Number.isNaN(time)) {
    throw new UsageError(`--${name} must be such as 2h, 7d or 2026-01-31T12:00:00Z`)
  }
  return new Date(time)
}

/** A date, which is in UTC, or a date and a time with its zone. */
const rfc3339 = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/i

/** `Date.parse` alone reads `-1` as the year 2001, `2.1.2026` as February, and the 30th of February as March. */
function parseTime(text: string): number {
  const date = Date.parse(rfc3339.exec(text)?.[1] ?? '')
  const isReal = !Number.isNaN(date) && text.startsWith(new Date(date).toISOString().slice(0, 10))
  return isReal ? Date.parse(text) : Number.NaN
}

const page = 100

/** Events that match, without their bodies, page by page: oldest first, unless `order` says otherwise. */
export async function* findEvents(
  receiver: Receiver,
  filter: EventFilter & Pick<ListQuery, 'allEndpoints' | 'order'>,
  print: Pick<Printer, 'working'>,
): AsyncGenerator<StoredEvent> {
  let after: string | undefined
  for (let found = 0; ; ) {
    print.working(`looking through the inbox: ${found.toLocaleString('en-US')} events`)
    const events = await receiver.list({ ...filter, after, limit: page, bodies: false })
    yield* events
    if (events.length < page) {
      return
    }
    after = events.at(-1)?.key
    found += events.length
  }
}

/** At most this many events; all events without a limit. */
export async function take(
  events: AsyncGenerator<StoredEvent>,
  limit = Number.POSITIVE_INFINITY,
): Promise<StoredEvent[]> {
  const taken: StoredEvent[] = []
  if (limit < 1) {
    return taken
  }
  for await (const event of events) {
    taken.push(event)
    if (taken.length >= limit) {
      break
    }
  }
  return taken
}
