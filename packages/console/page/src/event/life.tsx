import { Ago, duration, now, Time } from 'webhook-inbox-ui'
import type { EventDetail } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { heldFor } from '../due.js'
import { EventLink } from '../event-link.js'
import { hrefOf } from '../route.js'
import { failedTimes, times } from '../state-words.js'
import { Term } from '../term.js'
import { ResourcePause } from './resource-pause.js'

/** When it was what. */
export function Life({ event }: { readonly event: EventDetail }) {
  const { createdAt, receivedAt, deliveredAt, doneAt, retryAt } = event
  const { failures, generation, resource, parent, bytes } = event
  const first = event.attempts?.find(({ isDone }) => isDone)?.at
  const held = heldFor(event.explanation?.reason)
  return (
    <dl class="life">
      <Term name="Created">
        <Moment at={createdAt} />
      </Term>
      <Term name="Received">
        <Moment at={deliveredAt ?? receivedAt} />
      </Term>
      {deliveredAt !== undefined && (
        <Term name="Released">
          <Moment at={receivedAt} /> <span class="faint">from quarantine</span>
        </Term>
      )}
      {failures > 0 && <Term name="Failed">{failedTimes(event)}</Term>}
      {retryAt !== undefined && event.explanation?.reason !== 'running' && (
        <Term name="Next attempt">
          {Date.parse(retryAt) < now.value && 'was due '}
          <Moment at={retryAt} />
          {held && `, ${held}`}
        </Term>
      )}
      {doneAt !== undefined && (
        <Term name="Done">
          <Moment at={doneAt} />
          {generation === 0 && (
            <span class="faint"> after {duration(Date.parse(doneAt) - Date.parse(receivedAt))}</span>
          )}
        </Term>
      )}
      {first && (
        <Term name="First done">
          <Moment at={first} />
        </Term>
      )}
      {generation > 0 && <Term name="Replayed">{times(generation)}</Term>}
      {parent !== undefined && (
        <Term name="Copied from">
          <EventLink id={parent} /> <span class="faint">and edited: not signed by the sender</span>
        </Term>
      )}
      {resource !== undefined && (
        <Term name="Resource">
          <a class="mono" href={hrefOf('events', undefined, [['resource', resource]])}>
            {resource}
          </a>
          <ResourcePause resource={resource} />
        </Term>
      )}
      <Term name="Body">{digits(bytes)} bytes</Term>
    </dl>
  )
}

/** How long ago, and the time of day. */
export const Moment = ({ at }: { readonly at: string }) => (
  <>
    <Ago at={at} />{' '}
    <span class="faint">
      <Time at={at} isExact />
    </span>
  </>
)
