import { announce, Dialog, useSignal } from 'webhook-inbox-ui'
import { call } from '../api/call.js'
import { go } from '../route.js'

/** Back to the seeds. It asks first, because nothing brings the deliveries back. */
export function Reset() {
  const isAsking = useSignal(false)
  const close = () => {
    isAsking.value = false
  }
  const reset = async () => {
    close()
    try {
      await call('POST', '/_sandbox/reset')
      go({ page: 'deliveries', id: undefined, query: '' })
      announce('The sandbox is as at its start.')
    } catch (error) {
      announce((error as Error).message)
    }
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isAsking.value = true
        }}
      >
        Reset the sandbox…
      </button>
      {isAsking.value && (
        <Dialog title="Reset the sandbox?" onClose={close}>
          <p>
            Every delivery, transfer and event is deleted. The wallets get their first balances. Subscriptions
            made at the start stay; others are deleted.
          </p>
          <div class="bar">
            <button type="button" class="end" onClick={close}>
              Keep everything
            </button>
            <button type="button" class="primary" onClick={() => void reset()}>
              Reset
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
