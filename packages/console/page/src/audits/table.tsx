import { Ago, Table, TableHead } from 'webhook-inbox-ui'
import type { AuditRow } from '../../../src/wire.js'
import { EventLink } from '../event-link.js'
import { hrefOf } from '../route.js'
import { counted, deliveriesOf } from '../state-words.js'
import { wordsOf } from './words.js'

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
        <TableHead headings={['When', 'Who', 'What', 'Why']} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class="faint when">
                <Ago at={row.at} />
              </td>
              <td class="who-did">{row.actor}</td>
              <td>
                <What row={row} of={of} />
              </td>
              <td>{row.reason}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}

function What({ row, of }: { readonly row: AuditRow; readonly of: string | undefined }) {
  const { action, count, eventId, isOfDelivery, run, subject } = row
  const isOfRun = action.endsWith('Run')
  const isOfAll = (action === 'pause' || action === 'resume') && subject === undefined
  return (
    <>
      {wordsOf(isOfRun ? action.slice(0, -3) : action)} {isOfAll && 'everything of the endpoint'}
      {count === undefined && isOfDelivery && 'a quarantined delivery '}
      {isOfDelivery && eventId !== undefined && eventId !== of && 'with the id '}
      {eventId !== undefined && eventId !== of && <EventLink id={eventId} />}
      {count !== undefined &&
        `${(isOfDelivery || action === 'verifyAgain' ? deliveriesOf : counted)(count)} `}
      {run !== undefined && (
        <>
          {' '}
          <a class="faint" href={hrefOf('operations', run)}>
            {isOfRun ? 'an operation' : 'in an operation'}
          </a>
        </>
      )}
      {count !== undefined && (
        <>
          {' '}
          <a class="faint" href={singlesOf(row)}>
            each event
          </a>
        </>
      )}
      {subject !== undefined && subject !== of && run === undefined && (
        <>
          {eventId !== undefined && ' from '}
          <Subject action={action} subject={subject} />
        </>
      )}
    </>
  )
}

/** The entries that a row stands for. */
const singlesOf = ({ run, action, actor, since = '', at }: AuditRow): string =>
  hrefOf(
    'audits',
    undefined,
    run === undefined
      ? Object.entries({ actor, action, since, until: at, single: 'true' })
      : [
          ['run', run],
          ['action', action],
          // Several people can undo events of one operation.
          ['actor', action === 'undo' ? actor : ''],
        ],
  )

/** What an act was about that is no event: a cause, a pause, the event of a copy. */
function Subject({ action, subject }: { readonly action: string; readonly subject: string }) {
  // An edited copy is of an event.
  const page = action.endsWith('Group') ? 'failures' : action === 'replayEdited' ? 'events' : undefined
  return page ? (
    <a class="mono" href={hrefOf(page, subject)}>
      {subject}
    </a>
  ) : (
    <span class="mono">{subject}</span>
  )
}
