import { Outcome, Table, TableHead, Time } from 'webhook-inbox-ui'
import { hrefOf } from '../route.js'
import { shortUrl } from '../state/config.js'
import { verdictOf, verdictWords } from '../state/verdict.js'
import { answerOf, shortId } from '../state/words.js'
import { ofEvent } from './open-delivery.js'

/** Every delivery of the same event. */
export function Siblings({ id }: { readonly id: string }) {
  return (
    <Table label="Deliveries of this event">
      <TableHead headings={['Time', 'Verdict', 'Cause', ['Response', 'number'], 'Receiver']} />
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
                  `${delivery.cause}, shown here`
                ) : (
                  <a href={hrefOf({ id: delivery.id })}>
                    {delivery.cause} <span class="faint mono">{shortId(delivery.id)}</span>
                  </a>
                )}
              </td>
              <td class="number">{delivery.last ? answerOf(delivery.last) : '…'}</td>
              <td class="cut mono" title={delivery.url}>
                {shortUrl(delivery.url)}
              </td>
            </tr>
          )
        })}
      </tbody>
    </Table>
  )
}
