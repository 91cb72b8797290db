import { Ago, duration, now, Time } from 'webhook-inbox-ui'
import type { EventDetail } from '../../../src/wire.js'
import { heldFor } from '../due.js'
import { hrefOf } from '../route.js'
import { failedTimes, times } from '../state-words.js'
import { ResourcePause } from './resource-pause.js'

/** When it was what. */
export function Life({ event }: { readonly event: EventDetail }) {
  const { createdAt, receivedAt, doneAt, retryAt, failures, generation, resource, parent, bytes } = event
  const held = heldFor(event.explanation?.reason)
  return (
    <dl class="life">
      <dt>Created</dt>
      <dd>
        <Moment at={createdAt} />
      </dd>
      <dt>Received</dt>
      <dd>
        <Moment at={receivedAt} />
      </dd>
      {failures > 0 && (
        <>
          <dt>Failed</dt>
          <dd>{failedTimes(event)}</dd>
        </>
      )}
      {retryAt !== undefined && (
        <>
          <dt>Next attempt</dt>
          <dd>
            {Date.parse(retryAt) < now.value && 'was due '}
            <Moment at={retryAt} />
            {held && `, ${held}`}
          </dd>
        </>
      )}
      {doneAt !== undefined && (
        <>
          <dt>Done</dt>
          <dd>
            <Moment at={doneAt} />
            {generation === 0 && (
              <span class="faint"> after {duration(Date.parse(doneAt) - Date.parse(receivedAt))}</span>
            )}
          </dd>
        </>
      )}
      {generation > 0 && (
        <>
          <dt>Replayed</dt>
          <dd>{times(generation)}</dd>
        </>
      )}
      {parent !== undefined && (
        <>
          <dt>Copied from</dt>
          <dd>
            <a class="mono" href={hrefOf('events', parent)}>
              {parent}
            </a>
            <span class="faint"> and edited: not signed by the sender</span>
          </dd>
        </>
      )}
      {resource !== undefined && (
        <>
          <dt>Resource</dt>
          <dd>
            <a class="mono" href={hrefOf('events', undefined, [['resource', resource]])}>
              {resource}
            </a>
            <ResourcePause resource={resource} />
          </dd>
        </>
      )}
      <dt>Body</dt>
      <dd>{bytes.toLocaleString('en')} bytes</dd>
    </dl>
  )
}

/** How long ago, and the time of day. */
const Moment = ({ at }: { readonly at: string }) => (
  <>
    <Ago at={at} />{' '}
    <span class="faint">
      <Time at={at} isExact />
    </span>
  </>
)
