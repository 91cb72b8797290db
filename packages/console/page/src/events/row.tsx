import { Ago, CoverLink, now, relativeTime, zonedTime } from 'webhook-inbox-ui'
import type { EventRow } from '../../../src/wire.js'
import { dueWords, heldBy, heldFor } from '../due.js'
import type { Holds } from '../holds.js'
import { hrefOf, route } from '../route.js'
import { StateMark } from '../state-mark.js'
import { filterOf } from './filter.js'

/** Longer ids show their end. The whole id is in the page of the event. A wide screen has room for that of an edited copy. */
const longestId = innerWidth < 1920 ? 26 : 64

interface RowProps {
  readonly event: EventRow
  readonly index: number
  readonly holds: Holds
}

/** One event of the list. */
export function Row({ event, index, holds }: RowProps) {
  const isOpen = route.value.id === event.id
  const note = noteOf(event, holds, (at) => relativeTime(Date.parse(at), now.value))
  return (
    <tr aria-rowindex={index + 2} class={isOpen ? 'open' : undefined}>
      <td class="when faint">
        <Ago at={event.deliveredAt ?? event.receivedAt} />
      </td>
      <td class="verdict">
        <StateMark state={event.state} why={event.why} />
      </td>
      <td class="type cut">
        <CoverLink
          id={event.id}
          href={hrefOf('events', event.id, filterOf(route.value.query))}
          isOpen={isOpen}
        >
          {event.type}
        </CoverLink>
      </td>
      <td class="event mono" title={event.id}>
        {event.id.length > longestId ? `…${event.id.slice(1 - longestId)}` : event.id}
      </td>
      <td class="number faint">{event.attempt || ''}</td>
      <td class="remark cut faint" title={noteOf(event, holds, zonedTime)}>
        {note}
      </td>
    </tr>
  )
}

/** Its last error. The reason of a person who gave it up is none. */
export const errorOf = ({ isGivenUp, lastError }: EventRow): string | undefined =>
  isGivenUp ? `given up: ${lastError}` : lastError

/** The important word first. */
function noteOf(event: EventRow, holds: Holds, timeOf: (at: string) => string): string {
  const { state, retryAt, generation, parent, deliveredAt, receivedAt, why } = event
  const held = why === 'running' ? undefined : (heldBy(event, holds) ?? heldFor(why))
  const parts = [
    state === 'accepted' && held,
    state === 'failed' &&
      why !== 'running' &&
      retryAt &&
      dueWords(timeOf(retryAt), Date.parse(retryAt) < now.value, held),
    deliveredAt && `released from quarantine ${timeOf(receivedAt)}`,
    parent && `edited copy of ${parent}`,
    generation > 0 && `replayed ${generation}×`,
    errorOf(event),
  ]
  return parts.filter(Boolean).join(', ')
}
