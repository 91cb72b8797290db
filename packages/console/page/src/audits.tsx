import { Ago, Table } from 'webhook-inbox-ui'
import type { AuditRow, Page } from '../../src/wire.js'
import { Older } from './older.js'
import { hrefOf, route } from './route.js'
import { Shown, useView } from './use-view.js'

/** Who did what, newest first. */
export function AuditsPage() {
  const cursor = route.value.query.get('cursor') ?? ''
  const view = useView<Page<AuditRow>>(`audits?${new URLSearchParams({ limit: '100', cursor })}`)
  return (
    <div class="inner stack">
      <h1>Audits</h1>
      <Shown view={view} what="the audits">
        {({ rows, next }) => (
          <>
            {rows.length > 0 ? (
              <AuditTable rows={rows} />
            ) : (
              <p class="faint">No changes yet. This page lists what operators do, with their reasons.</p>
            )}
            {next && <Older href={hrefOf('audits', undefined, [['cursor', next]])} />}
          </>
        )}
      </Shown>
    </div>
  )
}

export function AuditTable({
  rows,
  of,
}: {
  readonly rows: readonly AuditRow[]
  /** The id of the event or the cause whose page shows them. It is not repeated. */
  readonly of?: string
}) {
  return (
    <div class="card">
      <Table label="Who did what" class="wraps audits">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, at, actor, action, reason, eventId, isOfDelivery, subject, run }) => (
            <tr key={id}>
              <td class="faint when">
                <Ago at={at} />
              </td>
              <td class="who-did">{actor}</td>
              <td>
                {wordsOf(action)} {isOfDelivery && 'a quarantined delivery '}
                {isOfDelivery && eventId !== undefined && eventId !== of && 'with the id '}
                {eventId !== undefined && eventId !== of && (
                  <a class="mono" href={hrefOf('events', eventId)}>
                    {eventId}
                  </a>
                )}
                {run !== undefined && (
                  <>
                    {' '}
                    <a class="faint" href={hrefOf('operations', run)}>
                      in an operation
                    </a>
                  </>
                )}
                {subject !== undefined && subject !== of && run === undefined && (
                  <>
                    {eventId !== undefined && ' from '}
                    <Subject action={action} subject={subject} />
                  </>
                )}
              </td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}

/** What an act was about that is no event: a group, a pause. */
function Subject({ action, subject }: { readonly action: string; readonly subject: string }) {
  return action.endsWith('Group') ? (
    <a class="mono" href={hrefOf('failures', subject)}>
      {subject}
    </a>
  ) : (
    <span class="mono">{subject}</span>
  )
}

/** `acknowledgeGroup` as words. */
const wordsOf = (action: string) => action.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
