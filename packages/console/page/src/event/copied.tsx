import { Note } from 'webhook-inbox-ui'
import type { EventDetail } from '../../../src/wire.js'
import { hrefOf } from '../route.js'

/** Says that an event and an edited copy of it both exist, so that an operator does not run both by mistake. */
export function Copied({ event: { parent, parentState, copies = [] } }: { readonly event: EventDetail }) {
  return (
    <>
      {copies.length > 0 && (
        <Note outcome="quarantined">
          <p>
            An edited copy was run: <Links ids={copies} />. Discard this event if the copy replaces it.
          </p>
        </Note>
      )}
      {parent !== undefined && parentState === 'dead' && (
        <Note outcome="quarantined">
          <p>
            The event that it was copied from is still dead: <Links ids={[parent]} />. A replay runs that one
            as well. Discard it if this copy replaces it.
          </p>
        </Note>
      )}
    </>
  )
}

const Links = ({ ids }: { readonly ids: readonly string[] }) => (
  <>
    {ids.map((id, at) => (
      <span key={id}>
        {at > 0 && ', '}
        <a class="mono" href={hrefOf('events', id)}>
          {id}
        </a>
      </span>
    ))}
  </>
)
