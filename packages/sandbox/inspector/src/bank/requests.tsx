import { Outcome, Time } from 'webhook-inbox-ui'
import { requests } from '../state/bank.js'
import { Card } from './card.js'

/** Calls of the API. Those that repeat an Idempotency-Key are marked. */
export function Requests() {
  return (
    <Card
      title="API requests"
      aside={`the newest ${requests.value.length}; the reads of this page are left out`}
      empty="No request yet. Call the API, or send a transfer here."
      columns={['Time', 'Request', ['Response', 'number'], 'About']}
      rows={requests.value
        .slice(0, 25)
        .map(({ id, at, method, path, status, isReplayed, subject, code, milliseconds }) => (
          <tr key={id} title={id}>
            <td class="faint">
              <Time at={at} />
            </td>
            <td class="mono">
              {method} {path}
            </td>
            <td class="number">
              {status >= 400 ? (
                <Outcome outcome={status >= 500 ? 'failed' : 'rejected'}>{status}</Outcome>
              ) : (
                status
              )}{' '}
              <span class="faint">{Math.round(milliseconds)} ms</span>
            </td>
            <td>
              {isReplayed && <Outcome outcome="duplicate">Idempotency replay</Outcome>}{' '}
              <span class="faint mono">{[...subject.split(/ +/), code].filter(Boolean).join(' ')}</span>
            </td>
          </tr>
        ))}
    />
  )
}
