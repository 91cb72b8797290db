import { Ago, Note, Outcome } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'
import { pathPart } from '../../../src/path-part.js'
import type {
  DiscardDone,
  Discarded as DiscardedView,
  QuarantineDetail,
  Released,
  VerifiedAgain,
} from '../../../src/wire.js'
import { ActBar } from '../act-bar.js'
import { Advice } from '../advice.js'
import { BackToList } from '../back-to-list.js'
import { digits } from '../digits.js'
import { Discarded, lastDiscard } from '../discarded.js'
import { ShownBody } from '../event/body-view.js'
import { Moment } from '../event/life.js'
import { EventLink } from '../event-link.js'
import { can } from '../me.js'
import { NeedsAudits } from '../needs-audits.js'
import { go, hrefOf } from '../route.js'
import { times } from '../state-words.js'
import { Term } from '../term.js'
import { Shown, useView } from '../use-view.js'
import { Difference } from './difference.js'
import { reasonWords } from './reason-words.js'
import { Warnings } from './warnings.js'

/** One delivery: why it is in quarantine, how it differs from the stored event, and what can be done. */
export function DeliveryPane({ id }: { readonly id: string }) {
  const view = useView<QuarantineDetail | DiscardedView | Released>(`quarantine/${pathPart(id)}`)
  return (
    <div class="inner stack">
      <div class="bar">
        <h2 class="grow">Quarantined delivery</h2>
        <BackToList page="quarantine" />
      </div>
      <Shown view={view} what="the delivery">
        {(delivery) =>
          'discard' in delivery ? (
            <Discarded id={id} kind="delivery" view={delivery} />
          ) : 'released' in delivery ? (
            <ReleasedNote view={delivery} />
          ) : (
            <Detail delivery={delivery} />
          )
        }
      </Shown>
    </div>
  )
}

/** A delivery that is an event now. */
function ReleasedNote({ view }: { readonly view: Released }) {
  const { at, eventId, actor } = view.released
  return (
    <Note outcome="processed">
      <p>
        <strong>Released</strong> <Ago at={at} />
        {actor !== undefined && ` by ${actor}`}. It became the event <EventLink id={eventId} />.
      </p>
      <NeedsAudits what="Who released it and why" />
    </Note>
  )
}

/** The last check on this page after which its delivery stayed. A function that throws may throw only sometimes. */
const lastCheck = signal<{ readonly key: string; readonly at: string; readonly words: string } | undefined>(
  undefined,
)

function Detail({ delivery }: { readonly delivery: QuarantineDetail }) {
  const { key, code, fact, advice, eventId, kept, body, keptBody, maskedDifferences = [] } = delivery
  const { receivedAt, deliveries, bytes, rejection } = delivery
  // A delivery that would stay gives its handler nothing.
  const warnings = rejection || kept ? undefined : delivery.warnings
  const path = `quarantine/${pathPart(key)}`
  const check = lastCheck.value
  return (
    <>
      <Outcome outcome="quarantined" isPill>
        {code}
      </Outcome>
      <p>
        {rejection?.code !== code && !(code === 'event_id_conflict' && kept) && 'When it arrived: '}
        {fact ?? 'it was signed by the sender, and no retry could process it'}.
      </p>
      {check?.key === key && (
        <Note outcome="failed">
          <p>
            You checked it <Ago at={check.at} />. {check.words}
          </p>
        </Note>
      )}
      <Rejected delivery={delivery} />
      {delivery.original && <p>{delivery.original}</p>}
      <Advice of={advice} />
      {warnings && <Warnings texts={warnings} />}
      {eventId !== undefined && kept && (
        <p>
          The stored event <EventLink id={eventId} />{' '}
          {kept.doneAt ? (
            <>
              was done <Ago at={kept.doneAt} />
            </>
          ) : (
            `is ${kept.state}`
          )}
          . Another check cannot help while that event is stored. Discard this delivery if the stored event is
          correct. Otherwise edit and replay the stored event.
        </p>
      )}
      <ActBar
        what={`the delivery of ${eventId ?? delivery.idInBody ?? `${digits(bytes)} bytes`}`}
        acts={[
          ...(can('bulk') && !kept
            ? [
                {
                  path: `${path}/verify-again`,
                  word: 'Verify again',
                  button: 'Check it again',
                  action: 'deliveries:verify',
                  key: 'r',
                  isPrimary: true,
                  effect:
                    'The receiver checks it with its current options. If it is valid now, it becomes an event, and the audits show your reason. If it stays here, your reason is only in the log of the program.',
                  warning: warnings && <Warnings texts={warnings} />,
                  done: (answer: unknown) => verifiedWords(answer as VerifiedAgain),
                  onDone(answer: unknown) {
                    const verified = answer as VerifiedAgain
                    if (verified.outcome === 'accepted') {
                      go(hrefOf('events', verified.eventId))
                    } else {
                      lastCheck.value = { key, at: new Date().toISOString(), words: verifiedWords(verified) }
                    }
                  },
                } as const,
              ]
            : []),
          {
            path: `${path}/discard`,
            word: 'Discard',
            action: 'events:discard',
            isDestructive: true,
            effect: delivery.beforeDiscard,
            onDone: (answer) => {
              lastDiscard.value = { id: key, kind: 'delivery', ...(answer as DiscardDone) }
            },
          },
        ]}
      />
      <dl class="life">
        <Term name="Received">
          <Moment at={receivedAt} />
        </Term>
        <Term name="Arrived">{times(deliveries)}</Term>
        {delivery.idInBody && <Term name="Id in the body">{delivery.idInBody}</Term>}
        <Term name="Body">{digits(bytes)} bytes</Term>
      </dl>
      {body && keptBody && typeof body.text === 'string' && typeof keptBody.text === 'string' ? (
        <Difference kept={keptBody.text} given={body.text} masked={maskedDifferences} />
      ) : (
        body && <ShownBody body={body} />
      )}
      {!body && <p class="faint">The body needs the right bodies:read.</p>}
    </>
  )
}

/** What is wrong with the body by the current options, which an operator may have corrected since. */
function Rejected({ delivery: { code, rejection, kept } }: { readonly delivery: QuarantineDetail }) {
  if (!rejection) {
    if (!kept) {
      return <p>The body is valid by the current options. Verify it again to make it an event.</p>
    }
    return code === 'event_id_conflict' ? null : (
      <p>The body is valid by the current options, but an event with its id is stored.</p>
    )
  }
  const { code: now, detail } = rejection
  if (now === 'handler_failed' && !kept) {
    return (
      <p>
        Your code fails in the check now: <code>{detail}</code>. Verify it again, and the log of the program
        says why.
      </p>
    )
  }
  if (now !== code) {
    return (
      <p>
        The receiver would reject it now for another reason: <code>{reasonWords(rejection)}</code>
      </p>
    )
  }
  return detail ? (
    <p>
      What is wrong: <code>{detail}</code>
    </p>
  ) : null
}

/** What became of a delivery that was checked again. */
const verifiedWords = (answer: VerifiedAgain): string =>
  answer.outcome === 'accepted'
    ? `It is accepted as ${answer.eventId}.`
    : `It stays in quarantine: ${reasonWords(answer)}.`
