import { useMemo } from 'preact/hooks'
import { bound, useSignal } from 'webhook-inbox-ui'
import { call } from '../api/call.js'
import { attempted } from './attempted.js'
import { ProblemOf } from './problem.js'

const types = ['transfer.settled', 'transfer.failed', 'ledger.matched', 'approval.updated']

/** Sends an event that no transfer made. */
export function EmitForm() {
  const form = useMemo(attempted, [])
  const type = useSignal('transfer.settled')
  const data = useSignal('{}')

  const emit = () =>
    form.run(async () => {
      const { id } = await call<{ id: string }>('POST', '/_sandbox/events', {
        type: type.value,
        data: parsed(data.value),
      })
      return `Emitted ${id}.`
    })

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void emit()
      }}
    >
      <label class="field">
        <span>Type, known or your own</span>
        <input list="event-types" required spellcheck={false} {...bound(type)} />
      </label>
      <datalist id="event-types">
        {types.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <label class="field">
        <span>Data as JSON; known types get defaults</span>
        <textarea rows={4} spellcheck={false} {...bound(data)} />
      </label>
      <ProblemOf error={form.error.value} />
      <button type="submit" class="primary" disabled={form.isBusy.value}>
        Emit event
      </button>
    </form>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch (error) {
    throw new Error(`The data is not JSON: ${(error as Error).message}`)
  }
}
