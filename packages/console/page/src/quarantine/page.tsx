import { Ago, CoverLink, Outcome } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { Page, QuarantineDetail, QuarantineRow, VerifiedAgain } from '../../../src/wire.js'
import { ActBar } from '../act-bar.js'
import { Advice, factOf } from '../advice.js'
import { BackToList } from '../back-to-list.js'
import { ShownBody } from '../event/body-view.js'
import { can } from '../me.js'
import { Older } from '../older.js'
import { hrefOf, route } from '../route.js'
import { discarded } from '../undo-bar.js'
import { Shown, useView } from '../use-view.js'
import { Difference } from './difference.js'

/** Deliveries that are authentic and cannot be processed. */
export function QuarantinePage() {
  const { id, query } = route.value
  const cursor = query.get('cursor') ?? ''
  const view = useView<Page<QuarantineRow>>(`quarantine?${new URLSearchParams({ limit: '100', cursor })}`)
  return (
    <div class={id === undefined ? 'columns' : 'columns with-pane'}>
      <div class="list-column">
        <h1>Quarantine</h1>
        <Shown view={view} what="the quarantine">
          {({ rows, next }) => (
            <>
              {rows.length > 0 ? (
                <Table rows={rows} />
              ) : (
                <p class="blank faint">Nothing is quarantined. No delivery needs a person to look at it.</p>
              )}
              {next && (
                <p class="blank">
                  <Older href={hrefOf('quarantine', undefined, [['cursor', next]])} />
                </p>
              )}
            </>
          )}
        </Shown>
      </div>
      {id !== undefined && (
        <aside class="pane" aria-label="Delivery">
          <DeliveryPane key={id} id={id} />
        </aside>
      )}
    </div>
  )
}

function Table({ rows }: { readonly rows: readonly QuarantineRow[] }) {
  return (
    <table class="list" aria-label="Quarantined deliveries">
      <thead>
        <tr>
          <th scope="col">Received</th>
          <th scope="col">Cause</th>
          <th scope="col">Event</th>
          <th scope="col">Arrived</th>
          <th scope="col" class="cut">
            Meaning
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, receivedAt, code, eventId, deliveries }) => (
          <tr key={key} class={route.value.id === key ? 'open' : undefined}>
            <td class="faint when">
              <Ago at={receivedAt} />
            </td>
            <td class="verdict">
              <CoverLink
                id={key}
                href={hrefOf('quarantine', key, route.value.query)}
                isOpen={route.value.id === key}
              >
                <Outcome outcome="quarantined">{code}</Outcome>
              </CoverLink>
            </td>
            <td class={eventId === undefined ? 'faint type' : 'mono type'}>{eventId ?? 'no event id'}</td>
            <td class="faint answer">{deliveries === 1 ? 'once' : `${deliveries} times`}</td>
            <td class="cut faint remark">{factOf(code)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function DeliveryPane({ id }: { readonly id: string }) {
  const path = `quarantine/${pathPart(id)}`
  const view = useView<QuarantineDetail>(path)
  return (
    <div class="inner stack">
      <div class="bar">
        <h2 class="grow">Quarantined delivery</h2>
        <BackToList page="quarantine" />
      </div>
      <Shown view={view} what="the delivery">
        {({ code, eventId, kept, body, keptBody }) => (
          <>
            <Outcome outcome="quarantined" isPill>
              {code}
            </Outcome>
            <p>
              {kept
                ? 'It has the id of a stored event, but other content.'
                : (factOf(code) ?? 'It is signed by the sender, and no retry can process it')}
              {!kept && '.'}
            </p>
            <Advice code={code} />
            {eventId !== undefined && kept && (
              <p>
                The stored event:{' '}
                <a class="mono" href={hrefOf('events', eventId)}>
                  {eventId}
                </a>
              </p>
            )}
            <ActBar
              what="this delivery"
              acts={[
                ...(can('verify')
                  ? [
                      {
                        path: `${path}/verify-again`,
                        word: 'Verify again',
                        button: 'Check it again',
                        action: 'deliveries:verify',
                        key: 'r',
                        isPrimary: true,
                        effect:
                          'The receiver checks it with its current options. If it is valid now, it becomes an event.',
                        done: (answer: unknown) => verifiedWords(answer as VerifiedAgain),
                      } as const,
                    ]
                  : []),
                {
                  path: `${path}/discard`,
                  word: 'Discard',
                  action: 'events:discard',
                  effect: 'It is deleted. You can undo this for a limited time.',
                  done: 'It is discarded.',
                  onDone: () => {
                    discarded.value = id
                  },
                },
              ]}
            />
            {body && keptBody && typeof body.text === 'string' && typeof keptBody.text === 'string' ? (
              <Difference kept={keptBody.text} given={body.text} />
            ) : (
              body && <ShownBody body={body} />
            )}
            {!body && <p class="faint">The body needs the right bodies:read.</p>}
          </>
        )}
      </Shown>
    </div>
  )
}

/** What became of a delivery that was checked again. */
const verifiedWords = (answer: VerifiedAgain): string =>
  answer.outcome === 'accepted'
    ? `It is accepted as ${answer.eventId}.`
    : `It stays in quarantine: ${answer.code}${answer.detail ? `, ${answer.detail}` : ''}.`
