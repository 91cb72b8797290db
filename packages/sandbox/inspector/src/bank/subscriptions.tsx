import { useMemo } from 'preact/hooks'
import { bound, Clip, Outcome, useSignal } from 'webhook-inbox-ui'
import { call } from '../api/call.js'
import { attempted } from '../make/attempted.js'
import { ProblemOf } from '../make/problem.js'
import { config, shortUrl } from '../state/config.js'
import { Card } from './card.js'

/** Who gets which events, and with which secret. */
export function Subscriptions() {
  const subscriptions = config.value?.subscriptions ?? []
  return (
    <Card
      title="Subscriptions"
      aside={subscriptions.length}
      empty="Nobody is told of anything yet. Add the address of your receiver."
      columns={['Receiver', 'Events', 'Envelope', 'State', 'Secret']}
      rows={subscriptions.map(({ id, url, events, envelope, status, secret }) => (
        <tr key={id}>
          <td class="mono" title={id}>
            {shortUrl(url)}
          </td>
          <td class="mono">{events.join(', ')}</td>
          <td>{envelope}</td>
          <td>
            <Outcome outcome={status === 'enabled' ? 'processed' : 'exhausted'}>
              {status === 'enabled' ? 'On' : 'Off'}
            </Outcome>
          </td>
          <td>
            <Clip text={secret} what={`the secret of ${shortUrl(url)}`} />
          </td>
        </tr>
      ))}
    >
      <div class="inner">
        <Subscribe />
      </div>
    </Card>
  )
}

/** Adds a receiver. */
export function Subscribe() {
  const form = useMemo(attempted, [])
  const url = useSignal('http://127.0.0.1:3000/webhooks')
  const subscribe = () =>
    form.run(async () => {
      await call('POST', '/v1/webhook-subscriptions', { url: url.value, events: ['*'] })
      return `Every event is delivered to ${url.value} now.`
    })
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault()
        void subscribe()
      }}
    >
      <div class="bar fields">
        <label class="field grow">
          <span>Address of your receiver</span>
          <input type="url" required {...bound(url)} />
        </label>
        <button type="submit" disabled={form.isBusy.value}>
          Deliver here
        </button>
      </div>
      <ProblemOf error={form.error.value} />
    </form>
  )
}
