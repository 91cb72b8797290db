import { Ago, Clip, Note, now } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type {
  Discarded as DiscardedView,
  EventDetail,
  InQuarantine as Quarantined,
} from '../../../src/wire.js'
import { AuditTable } from '../audits/table.js'
import { BackToList } from '../back-to-list.js'
import { Discarded } from '../discarded.js'
import { can, may } from '../me.js'
import { NeedsAudits } from '../needs-audits.js'
import { hrefOf } from '../route.js'
import { Section } from '../section.js'
import { StateMark } from '../state-mark.js'
import { sentenceOf } from '../state-words.js'
import { Shown, useEverySecond, useView } from '../use-view.js'
import { EventActs } from './acts.js'
import { Attempts } from './attempts.js'
import { BodyView } from './body-view.js'
import { Copied } from './copied.js'
import { InQuarantine } from './in-quarantine.js'
import { Life } from './life.js'
import { ShapeChanges } from './shape-changes.js'
import { Siblings } from './siblings.js'
import { Why } from './why.js'

/** The store keeps this much of an error. */
const mostError = 2000

/** One event: the sentence, what can be done, its life, its body, and who did what. */
export function EventPane({ id }: { readonly id: string }) {
  const view = useView<EventDetail | DiscardedView | Quarantined>(`events/${pathPart(id)}`)
  const { value } = view
  // A claim that ends is no change that the server tells.
  const end = value && 'id' in value ? value.explanation?.until : undefined
  useEverySecond(view, Date.parse(end ?? '') < now.value)
  return (
    <div class="inner stack">
      <div class="bar">
        <h2 class="mono grow">{id}</h2>
        <Clip text={id} what="the id" />
        <BackToList page="events" />
      </div>
      <Shown view={view} what="the event">
        {(event) =>
          'id' in event ? (
            <Detail event={event} />
          ) : (
            <>
              <InQuarantine of={event} />
              {'discard' in event ? <Discarded id={id} kind="event" view={event} /> : 'No event has this id.'}
            </>
          )
        }
      </Shown>
    </div>
  )
}

function Detail({ event }: { readonly event: EventDetail }) {
  const { id, type, state, lastError, group, resource, explanation, audits, givenUp } = event
  // Of an event that ended, or waits for its next attempt, the error and the times below say why.
  const isOpen = state === 'accepted' || state === 'failed'
  // A handler that timed out has it for a while.
  const isHeld = !isOpen && Date.parse(explanation?.until ?? '') > now.value
  return (
    <>
      <div class="bar">
        <StateMark state={state} isPill why={explanation?.reason} />
        <strong>{type}</strong>
      </div>
      {isOpen && explanation && explanation.reason !== 'waits_for_retry' ? (
        <Why explanation={explanation} />
      ) : (
        <p>{sentenceOf(event)}</p>
      )}
      {isHeld && explanation && <Why explanation={explanation} />}
      <InQuarantine of={event} />
      <EventActs event={event} />
      <Copied event={event} />
      {lastError !== undefined && (
        <Note outcome={givenUp ? 'canceled' : 'failed'}>
          <p class={givenUp ? undefined : 'mono'}>
            {givenUp && (
              <>
                <strong>Given up{givenUp.actor && ` by ${givenUp.actor}`}</strong> <Ago at={givenUp.at} />:{' '}
              </>
            )}
            {lastError}
            {lastError.length >= mostError && '… (cut)'}
          </p>
          {group !== undefined && can('failures') && (
            <p>
              <a href={hrefOf('failures', group)}>All of this cause</a>
            </p>
          )}
        </Note>
      )}
      {event.rounded && (
        <Note outcome="quarantined">
          <p>{event.rounded}: the handler gets it rounded. The body has the exact number.</p>
        </Note>
      )}
      <Life event={event} />
      <Attempts event={event} />
      {(state === 'failed' || state === 'dead') && <ShapeChanges of={event} />}
      {may('bodies:read') ? <BodyView id={id} /> : <p class="faint">The body needs the right bodies:read.</p>}
      {resource !== undefined && <Siblings id={id} resource={resource} />}
      {audits && (
        <Section title="Who did what">
          {audits.length > 0 ? <AuditTable rows={audits} of={id} /> : <p class="faint">No changes yet.</p>}
        </Section>
      )}
      <NeedsAudits what="Who changed it and why" />
    </>
  )
}
