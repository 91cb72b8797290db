import { Ago, Table } from 'webhook-inbox-ui'
import type { EventRow, Page } from '../../../src/wire.js'
import { EventLink } from '../event-link.js'
import { hrefOf } from '../route.js'
import { StateMark } from '../state-mark.js'
import { useView } from '../use-view.js'

const most = 10

/** The newest events of the same resource. They run one after another. */
export function Siblings({ id, resource }: { readonly id: string; readonly resource: string }) {
  const view = useView<Page<EventRow>>(`events?${new URLSearchParams({ resource, limit: String(most) })}`)
  const rows = view.value?.rows ?? []
  if (rows.length < 2) {
    return null
  }
  return (
    <section class="stack tight">
      <div class="bar">
        <h3>Same resource</h3>
        {view.value?.next && (
          <a class="end" href={hrefOf('events', undefined, [['resource', resource]])}>
            Show all
          </a>
        )}
      </div>
      <div class="card">
        <Table label="Events of the same resource">
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td class="faint">
                  <Ago at={row.deliveredAt ?? row.receivedAt} />
                </td>
                <td>
                  <StateMark state={row.state} why={row.why} />
                </td>
                <td class="cut">
                  {row.id === id ? (
                    `${row.type}, shown here`
                  ) : (
                    <>
                      <span>{row.type}</span> <EventLink id={row.id} />
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </section>
  )
}
