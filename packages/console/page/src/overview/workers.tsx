import { Ago, Table, TableHead } from 'webhook-inbox-ui'
import type { WorkerRow } from '../../../src/wire.js'

/** The processes that run events. */
export function Workers({ rows }: { readonly rows: readonly WorkerRow[] }) {
  return (
    <section class="card" aria-label="Workers">
      <header>
        <h2>Workers</h2>
        <p class="faint">{rows.length === 0 ? 'no process runs events now' : 'processes that run events'}</p>
      </header>
      {rows.length === 0 ? (
        <p class="inner">Start the program that runs the handlers. Until then events wait.</p>
      ) : (
        <Table label="Workers" class="facts">
          <TableHead headings={['Process', 'Version', 'Started', 'Seen', 'At its limit']} />
          <tbody>
            {rows.map(
              ({ id, process, version, startedAt, seenAt, isLate, limitedTypes, limitedResources }) => (
                <tr key={id}>
                  <td class="mono name">{process}</td>
                  <td>{version}</td>
                  <td class="faint" data-label="started">
                    <Ago at={startedAt} />
                  </td>
                  <td class="faint" data-label="seen">
                    <Ago at={seenAt} />
                    {isLate && ', late'}
                  </td>
                  <td class="faint" data-label="at its limit:">
                    {[...limitedTypes, ...limitedResources].join(', ') || 'no'}
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </Table>
      )}
    </section>
  )
}
