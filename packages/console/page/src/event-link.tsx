import { hrefOf } from './route.js'

/** The id of an event, which leads to its page. A narrow cell cuts it, so its title has it too. */
export const EventLink = ({ id }: { readonly id: string }) => (
  <a class="mono" href={hrefOf('events', id)} title={id}>
    {id}
  </a>
)

/** Links to events, with commas. */
export const EventLinks = ({ ids }: { readonly ids: readonly string[] }) => (
  <>
    {ids.map((id, at) => (
      <span key={id}>
        {at > 0 && ', '}
        <EventLink id={id} />
      </span>
    ))}
  </>
)
