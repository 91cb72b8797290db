import { useMemo } from 'preact/hooks'
import { bound, Dialog, prettyJson, useSignal } from 'webhook-inbox-ui'
import type { Signal } from 'webhook-inbox-ui/signals'
import type { Attempt, FullDelivery } from '../api/records.js'
import { Choice } from '../choice.js'
import { attempted } from '../make/attempted.js'
import { ProblemOf } from '../make/problem.js'
import { go } from '../route.js'
import { sendEdited } from './actions.js'

interface EditProps {
  readonly delivery: FullDelivery
  readonly attempt: Attempt
  readonly onClose: () => void
}

type Mode = 'fresh' | 'original' | 'wrong' | 'none'

const modes: readonly (readonly [Mode, string])[] = [
  ['fresh', 'Signed anew, with the right secret'],
  ['original', 'As this delivery was signed'],
  ['wrong', 'Signed with a wrong secret'],
  ['none', 'Without a signature'],
]

/** Other bytes under the same id. The stored event stays as it is. */
export function Edit({ delivery, attempt, onClose }: EditProps) {
  const form = useMemo(attempted, [])
  const sent = attempt.request.body
  const body = useSignal(sent)
  const mode = useSignal<Mode>('fresh')
  const age = useSignal('0')
  const send = () =>
    form.run(async () => {
      const edited = { body: body.value, signature: mode.value, ageSeconds: Number(age.value) }
      const { id } = await sendEdited(delivery, edited)
      onClose()
      go({ id, tab: 'response' })
      return 'Sent. This is the new delivery.'
    })
  return (
    <Dialog title="Edit and send" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <BodyField body={body} sent={sent} />
        <SignatureFields mode={mode} age={age} />
        <ProblemOf error={form.error.value && `Not sent. ${form.error.value}`} />
        <div class="bar">
          <span class="faint">The stored event stays as it is.</span>
          <button type="submit" class="primary end" disabled={form.isBusy.value}>
            {form.isBusy.value ? 'Sending…' : 'Send 1 delivery'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function BodyField({ body, sent }: { readonly body: Signal<string>; readonly sent: string }) {
  const layOut = () => {
    body.value = prettyJson(body.value)
  }
  return (
    <>
      <label class="field">
        <span>Body</span>
        <textarea rows={14} spellcheck={false} {...bound(body)} />
      </label>
      <div class="bar">
        <button type="button" onClick={layOut}>
          Lay out
        </button>
        <span class="faint">{adviceOn(body.value, sent)}</span>
      </div>
    </>
  )
}

function SignatureFields({ mode, age }: { readonly mode: Signal<Mode>; readonly age: Signal<string> }) {
  const isSigned = mode.value === 'fresh' || mode.value === 'wrong'
  return (
    <div class="bar fields">
      <Choice label="Signature" options={modes} {...bound(mode)} />
      <label class="field">
        <span>Age of t, in seconds</span>
        <input type="number" step="1" required disabled={!isSigned} {...bound(age)} />
      </label>
    </div>
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
