import { CoverLink, now, Outcome, Time } from 'webhook-inbox-ui'
import type { Delivery } from '../api/records.js'
import { hrefOf, route } from '../route.js'
import { underWay } from '../state/deliveries.js'
import { verdictOf, verdictWords } from '../state/verdict.js'
import { answerOf, attemptsPlanned, noteOf, shortId } from '../state/words.js'

interface RowProps {
  readonly delivery: Delivery
  readonly index: number
}

/** One delivery of the list. The link covers the whole row. */
export function Row({ delivery, index }: RowProps) {
  const { id, eventId, eventType, createdAt, last, attempts } = delivery
  const isUnderWay = underWay.value.has(id)
  const verdict = verdictOf(delivery)
  const isOpen = route.value.id === id
  const isWaiting = delivery.state === 'pending' && attempts > 0
  const note = noteOf(delivery, isUnderWay, isWaiting ? now.value : 0)
  return (
    <tr aria-rowindex={index + 2} class={isOpen ? 'open' : undefined}>
      <td class="when faint">
        <Time at={createdAt} />
      </td>
      <td class="verdict">
        <Outcome outcome={verdict}>{verdictWords[verdict]}</Outcome>
      </td>
      <td class="type cut">
        <CoverLink id={id} href={hrefOf({ page: 'deliveries', id })} isOpen={isOpen}>
          {eventType}
        </CoverLink>
      </td>
      <td class="event mono" title={eventId}>
        {shortId(eventId)}
      </td>
      <td class="number faint">
        {attempts}/{attemptsPlanned(delivery)}
      </td>
      <td class="answer number">
        {last ? last.failure === null && answerOf(last) : '…'}
        {last && <span class="faint"> {Math.round(last.milliseconds)} ms</span>}
      </td>
      <td class="remark cut faint" title={note}>
        {note}
      </td>
    </tr>
  )
}
