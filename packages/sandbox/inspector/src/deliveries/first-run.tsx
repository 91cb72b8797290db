import { isLost } from '../api/stream.js'
import { Subscribe } from '../bank/subscriptions.js'
import { hrefOf } from '../route.js'
import { config } from '../state/config.js'

/** What to do where nothing was delivered yet. */
export function FirstRun() {
  const hasReceiver = config.value?.subscriptions.some(({ status }) => status === 'enabled')
  return (
    <div class="inner first-run stack">
      <h2>No delivery yet</h2>
      {config.value && !hasReceiver && !isLost() && (
        <>
          <p>The sandbox runs, and has nobody to deliver to. Tell it where your receiver listens.</p>
          <Subscribe />
        </>
      )}
      {hasReceiver && (
        <p>
          Start your receiver with the secret of its subscription, which you can copy on the page{' '}
          <a href={hrefOf({ page: 'bank', query: '' })}>Bank</a>. Then send a transfer: it settles, and two
          events arrive here.
        </p>
      )}
    </div>
  )
}
