import { Ago, Sideways } from 'webhook-inbox-ui'
import type { AuditRow, Page } from '../../src/wire.js'
import { hrefOf, route } from './route.js'
import { Shown, useView } from './use-view.js'

/** Who did what, newest first. */
export function AuditsPage() {
  const cursor = route.value.query.get('cursor') ?? ''
  const view = useView<Page<AuditRow>>(`audits?${new URLSearchParams({ limit: '100', cursor })}`)
  return (
    <div class="inner stack wide">
      <h1>Audits</h1>
      <Shown view={view} what="the audits">
        {({ rows, next }) => (
          <>
            {rows.length > 0 ? (
              <AuditTable rows={rows} />
            ) : (
              <p class="faint">
                Nobody has changed anything. Replays and discards stand here, with their reasons.
              </p>
            )}
            {next && (
              <a class="button" href={hrefOf('audits', undefined, [['cursor', next]])}>
                Older
              </a>
            )}
          </>
        )}
      </Shown>
    </div>
  )
}

export function AuditTable({ rows }: { readonly rows: readonly AuditRow[] }) {
  return (
    <div class="card">
      <Sideways label="Audits, from side to side">
        <table class="wraps" aria-label="Who did what">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, at, actor, action, reason, eventId, subject, run }) => (
              <tr key={id}>
                <td class="faint">
                  <Ago at={at} />
                </td>
                <td>{actor}</td>
                <td>
                  {wordsOf(action)}{' '}
                  {eventId !== undefined && (
                    <a class="mono" href={hrefOf('events', eventId)}>
                      {eventId}
                    </a>
                  )}
                  {run !== undefined && (
                    <a class="faint" href={hrefOf('operations', run)}>
                      in an operation
                    </a>
                  )}
                  {subject !== undefined && <span class="mono"> {subject}</span>}
                </td>
                <td>{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Sideways>
    </div>
  )
}

/** `acknowledgeGroup` as words. */
const wordsOf = (action: string) => action.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
