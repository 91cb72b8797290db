import { useSignal } from '@preact/signals'
import { announce, bound, Dialog, Note, prettyJson } from 'webhook-inbox-ui'
import type { Attempt, FullDelivery } from '../api/records.js'
import { go } from '../route.js'
import { sendEdited } from './actions.js'

interface EditProps {
  readonly delivery: FullDelivery
  readonly attempt: Attempt
  readonly onClose: () => void
}

const modes = {
  fresh: 'Signed anew, with the right secret',
  original: 'As this delivery was signed',
  wrong: 'Signed with a wrong secret',
  none: 'Without a signature',
}

/** Other bytes under the same id. The stored event stays as it is. */
export function Edit({ delivery, attempt, onClose }: EditProps) {
  const sent = attempt.request.body
  const body = useSignal(sent)
  const mode = useSignal<keyof typeof modes>('fresh')
  const age = useSignal('0')
  const error = useSignal('')
  const isSending = useSignal(false)

  const send = async (event: Event) => {
    event.preventDefault()
    isSending.value = true
    error.value = ''
    try {
      const edited = { body: body.value, signature: mode.value, ageSeconds: Number(age.value) }
      const { id } = await sendEdited(delivery, edited)
      onClose()
      announce('Sent. This is the new delivery.')
      go({ id, tab: 'response' })
    } catch (problem) {
      error.value = (problem as Error).message
    } finally {
      isSending.value = false
    }
  }

  const isSigned = mode.value === 'fresh' || mode.value === 'wrong'
  return (
    <Dialog title="Edit and send" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void send(event)}>
        <label class="field">
          <span>Body</span>
          <textarea rows={14} spellcheck={false} {...bound(body)} />
        </label>
        <div class="bar">
          <button
            type="button"
            onClick={() => {
              body.value = prettyJson(body.value)
            }}
          >
            Lay out
          </button>
          <span class="faint">{adviceOn(body.value, sent)}</span>
        </div>
        <div class="bar fields">
          <label class="field grow">
            <span>Signature</span>
            <select {...bound(mode)}>
              {Object.entries(modes).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>Age of t, in seconds</span>
            <input type="number" step="1" required disabled={!isSigned} {...bound(age)} />
          </label>
        </div>
        {error.value && (
          <Note outcome="failed">
            <p>Not sent. {error.value}</p>
          </Note>
        )}
        <div class="bar">
          <span class="faint">The stored event stays as it is.</span>
          <button type="submit" class="primary end" disabled={isSending.value}>
            {isSending.value ? 'Sending…' : 'Send 1 delivery'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function adviceOn(body: string, sent: string): string {
  if (body === sent) {
    return 'The same bytes.'
  }
  try {
    JSON.parse(body)
  } catch {
    return 'Not JSON: a receiver must reject it.'
  }
  return 'Same id, other content: a receiver must not act on it twice.'
}
