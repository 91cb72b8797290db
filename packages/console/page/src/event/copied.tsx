import { Note } from 'webhook-inbox-ui'
import type { EventDetail, EventState } from '../../../src/wire.js'
import { EventLinks } from '../event-link.js'
import { may, needs } from '../me.js'

/** Says that an event and an edited copy of it both exist, so that an operator does not run both by mistake. */
export function Copied({ event }: { readonly event: EventDetail }) {
  const { state, parent, parentState, copies = [] } = event
  const needed = may('events:discard') ? '' : ` ${needs('events:discard')}`
  return (
    <>
      {copies.length > 0 && (
        <Note outcome="quarantined">
          <p>
            An edited copy was run: <EventLinks ids={copies} />.{' '}
            {state === 'dead' && `Discard this event if the copy replaces it.${needed}`}
            {isToRun(state) && 'This event still runs by itself: give it up if the copy replaces it.'}
          </p>
        </Note>
      )}
      {parent !== undefined && parentState === 'dead' && (
        <Note outcome="quarantined">
          <p>
            The event that it was copied from is still dead: <EventLinks ids={[parent]} />. If somebody
            replays that one, both have run. Discard it if this copy replaces it.{needed}
          </p>
        </Note>
      )}
      {parent !== undefined && isToRun(parentState) && (
        <Note outcome="failed">
          <p>
            The event that it was copied from still runs by itself: <EventLinks ids={[parent]} />. Give that
            one up if this copy replaces it.
          </p>
        </Note>
      )}
    </>
  )
}

const isToRun = (state: EventState | undefined): boolean => state === 'accepted' || state === 'failed'
