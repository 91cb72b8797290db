import { signal } from '@preact/signals'
import { copyText, Menu } from 'webhook-inbox-ui'
import type { FullDelivery } from '../api/records.js'
import { replay, retryNow } from './actions.js'
import { asCurl, asTest, downloadFixture } from './copy-as.js'
import { Edit } from './edit.js'

/** Whether the dialog for edit and send is open. */
export const isEditing = signal(false)

/** What a person can do with a delivery. */
export function ActionBar({ delivery }: { readonly delivery: FullDelivery }) {
  const attempt = delivery.tries.at(-1)
  const again = (times: number, concurrent: boolean, signature: 'fresh' | 'original' = 'fresh') =>
    void replay(delivery, { times, concurrent, signature })
  return (
    <div class="bar">
      <Menu label="Replay" name="replay" isPrimary>
        <button type="button" onClick={() => again(1, false)}>
          Signed anew <kbd>r</kbd>
        </button>
        <button type="button" onClick={() => again(1, false, 'original')}>
          As it was signed, with its old t
        </button>
        <button type="button" onClick={() => again(10, false)}>
          10 times, one after another
        </button>
        <button type="button" onClick={() => again(20, true)}>
          20 times concurrently
        </button>
      </Menu>
      {attempt && (
        <button
          type="button"
          onClick={() => {
            isEditing.value = true
          }}
        >
          Edit and send… <kbd>e</kbd>
        </button>
      )}
      {delivery.state !== 'delivered' && (
        <button type="button" onClick={() => void retryNow(delivery)}>
          Retry now
        </button>
      )}
      {attempt && (
        <Menu label="Copy as" name="copy">
          <button type="button" onClick={() => void copyText(asCurl(delivery, attempt), 'a curl command')}>
            curl, as it was signed
          </button>
          <button type="button" onClick={() => void copyText(asTest(delivery, attempt), 'a vitest test')}>
            vitest test
          </button>
          <button type="button" onClick={() => downloadFixture(delivery, attempt)}>
            Fixture file, for webhook-inbox send
          </button>
        </Menu>
      )}
      {attempt && isEditing.value && (
        <Edit
          delivery={delivery}
          attempt={attempt}
          onClose={() => {
            isEditing.value = false
          }}
        />
      )}
    </div>
  )
}
