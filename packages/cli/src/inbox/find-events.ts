import type { Receiver, StoredEvent } from 'webhook-inbox'
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
  since: {
    type: 'string',
    value: 'DURATION|TIME',
    help: 'Only events received since: a duration ago such as 15m, 2h or 7d, or an RFC 3339 time',
  },
} as const satisfies Options

export interface EventFilter {
  readonly state?: State | undefined
  readonly type?: string | undefined
  /** Unix milliseconds. */
  readonly since?: number | undefined
  readonly allEndpoints?: boolean
}

export function readFilter(
  values: Values<typeof filterOptions> & { readonly state?: string | undefined },
  now: number,
): EventFilter {
  const { state, type, since } = values
  return {
    state: state as State | undefined,
    type,
    since: since === undefined ? undefined : timeOf(since, now),
  }
}

function timeOf(text: string, now: number): number {
  if (/^\d+(\.\d+)?[smhd]?$/.test(text)) {
    return (now - durationSeconds('since', text)) * 1000
  }
  const time = Date.parse(text)
  if (!Number.isNaN(time)) {
    return time
  }
  throw new UsageError('--since must be such as 2h, 7d or 2026-01-31T12:00:00Z')
}

const page = 100

/** Events that match, oldest first, page by page. */
export async function* findEvents(
  receiver: Receiver,
  filter: EventFilter,
  print: Pick<Printer, 'working'>,
): AsyncGenerator<StoredEvent> {
  const { state, allEndpoints = false } = filter
  let after: string | undefined
  let looked = 0
  for (;;) {
    print.working(`looking through the inbox: ${looked.toLocaleString('en-US')} events`)
    const events = await receiver.list({ state, allEndpoints, after, limit: page })
    for (const event of events) {
      if (matches(event, filter)) {
        yield event
      }
    }
    if (events.length < page) {
      return
    }
    after = events.at(-1)?.key
    looked += events.length
  }
}

function matches({ type, receivedAt }: StoredEvent, filter: EventFilter): boolean {
  if (filter.since !== undefined && Date.parse(receivedAt) < filter.since) {
    return false
  }
  if (filter.type === undefined || filter.type === type) {
    return true
  }
  return filter.type.endsWith('.*') && type.startsWith(filter.type.slice(0, -1))
}

/** At most so many events; everything where no limit is given. */
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
