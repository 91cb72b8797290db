import { Outcome, Table, TableHead, Time } from 'webhook-inbox-ui'
import { hrefOf } from '../route.js'
import { portAndPath } from '../state/config.js'
import { verdictOf, verdictWords } from '../state/verdict.js'
import { answerOf, causeOf, shortId } from '../state/words.js'
import { ofEvent } from './open-delivery.js'

/** Every delivery of the same event. */
export function Siblings({ id }: { readonly id: string }) {
  return (
    <Table label="Deliveries of this event" class="wraps stacks siblings">
      <TableHead headings={['Time', 'Verdict', 'Cause', 'Response', 'Receiver']} />
      <tbody>
        {ofEvent.value.map((delivery) => {
          const verdict = verdictOf(delivery)
          return (
            <tr key={delivery.id}>
              <td class="faint">
                <Time at={delivery.createdAt} />
              </td>
              <td>
                <Outcome outcome={verdict}>{verdictWords[verdict]}</Outcome>
              </td>
              <td>
                {delivery.id === id ? (
                  `${causeOf(delivery)}, shown here`
                ) : (
                  <a href={hrefOf({ id: delivery.id })}>
                    {causeOf(delivery)} <span class="faint mono">{shortId(delivery.id)}</span>
                  </a>
                )}
              </td>
              <td>{delivery.last ? answerOf(delivery.last) : '…'}</td>
              <td class="mono receiver" title={delivery.url}>
                {portAndPath(delivery.url)}
              </td>
            </tr>
          )
        })}
      </tbody>
    </Table>
  )
}
