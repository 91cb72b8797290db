import { clip, Menu } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'
import type { Attempt, FullDelivery } from '../api/records.js'
import { type ReplayChoice, replay, replayOnce, retryNow } from './actions.js'
import { asCurl, asTest, downloadFixture } from './copy-as.js'
import { Edit } from './edit.js'

/** Whether the dialog for edit and send is open. */
export const isEditing = signal(false)

/** What a person can do with a delivery. */
export function ActionBar({ delivery }: { readonly delivery: FullDelivery }) {
  const attempt = delivery.tries.at(-1)
  const edit = () => {
    isEditing.value = true
  }
  const closeEdit = () => {
    isEditing.value = false
  }
  return (
    <div class="bar">
      <ReplayMenu delivery={delivery} />
      {attempt && (
        <button type="button" onClick={edit}>
          Edit and send… <kbd>e</kbd>
        </button>
      )}
      {delivery.state !== 'delivered' && (
        <button type="button" onClick={() => void retryNow(delivery)}>
          Retry now
        </button>
      )}
      {attempt && <CopyMenu delivery={delivery} attempt={attempt} />}
      {attempt && isEditing.value && <Edit delivery={delivery} attempt={attempt} onClose={closeEdit} />}
    </div>
  )
}

function ReplayMenu({ delivery }: { readonly delivery: FullDelivery }) {
  const again = (change: Partial<ReplayChoice>) => () => void replay(delivery, { ...replayOnce, ...change })
  return (
    <Menu label={['Replay ', <kbd key="key">r</kbd>]} name="replay" isPrimary>
      <button type="button" onClick={again({})}>
        Signed anew <kbd>r</kbd>
      </button>
      <button type="button" onClick={again({ signature: 'original' })}>
        As it was signed, with its old t
      </button>
      <button type="button" onClick={again({ times: 10 })}>
        10 times, one after another
      </button>
      <button type="button" onClick={again({ times: 20, concurrent: true })}>
        20 times concurrently
      </button>
    </Menu>
  )
}

interface CopyMenuProps {
  readonly delivery: FullDelivery
  readonly attempt: Attempt
}

function CopyMenu({ delivery, attempt }: CopyMenuProps) {
  return (
    <Menu label={['Copy as ', <kbd key="key">c</kbd>]} name="copy">
      <button type="button" onClick={() => void clip(asCurl(delivery, attempt), 'a curl command')}>
        curl, as it was signed
      </button>
      <button type="button" onClick={() => void clip(asTest(delivery, attempt), 'a vitest test')}>
        vitest test
      </button>
      <button type="button" onClick={() => downloadFixture(delivery, attempt)}>
        Fixture file, for webhook-inbox send
      </button>
    </Menu>
  )
}
