import { useId, useState } from 'preact/hooks'
import { announce, Dialog, Note } from 'webhook-inbox-ui'
import type { FlowChanged } from '../../../src/wire.js'
import { act } from '../call.js'
import { useDraft } from '../draft.js'
import { changes } from '../live.js'
import { closeDialog } from '../open-dialog.js'
import { ReasonForm } from '../reason-form.js'
import { doubtOf, useKnownTypes } from './known-types.js'

/** Pauses the whole endpoint or one type. The endpoint cannot be chosen while it is paused. */
export function PauseDialog({ isPaused }: { readonly isPaused: boolean }) {
  const [isOneType, setIsOneType] = useState(isPaused)
  const [type, setType] = useDraft('pause type')
  const [doubted, setDoubted] = useState<string>()
  const known = useKnownTypes(isOneType)
  const problem = isOneType ? typeProblem(type) : undefined
  const doubt = isOneType && problem === undefined ? doubtOf(type, known) : undefined
  const isTaken = doubt === undefined || doubted === type
  const reading = isOneType && known.isReading ? 'Reading the known types…' : undefined
  return (
    <Dialog title="Pause" onClose={closeDialog}>
      <p>Events are still accepted, and wait. Handlers that are running continue.</p>
      <ReasonForm
        button={isOneType ? 'Pause this type' : 'Pause everything'}
        draft="pause"
        next={{ word: 'Close and show it as it is now', take: closeDialog }}
        blocked={problem ?? reading ?? (isTaken ? undefined : 'Confirm the type first.')}
        onSubmit={async (reason) => {
          const body = { reason, ...(isOneType && { type }) }
          const { isChanged } = await act<FlowChanged>('flow/pause', body)
          announce(isChanged ? 'Events are accepted, and wait.' : 'Nothing changed: it was paused before.')
          setType('')
          changes.value += 1
          closeDialog()
        }}
      >
        <fieldset class="choice stack tight">
          <legend class="label">What to pause</legend>
          {[false, true].map((each) => (
            <label key={String(each)} class="check">
              <input
                type="radio"
                name="target"
                checked={each === isOneType}
                disabled={isPaused && !each}
                onChange={() => setIsOneType(each)}
              />
              <span>{each ? 'One type' : 'Everything of this endpoint'}</span>
            </label>
          ))}
        </fieldset>
        {isOneType && <TypeField type={type} known={known.types} onType={setType} />}
        {doubt !== undefined && (
          <Doubt text={doubt} isTaken={isTaken} onTaken={(isNow) => setDoubted(isNow ? type : undefined)} />
        )}
      </ReasonForm>
    </Dialog>
  )
}

/** A wrong type pauses nothing, and what was to stop runs on. But a type may be new. */
function Doubt({
  text,
  isTaken,
  onTaken,
}: {
  readonly text: string
  readonly isTaken: boolean
  readonly onTaken: (isTaken: boolean) => void
}) {
  return (
    <div class="stack tight" role="status">
      <Note outcome="quarantined">
        <p>{text}</p>
      </Note>
      <label class="check">
        <input
          type="checkbox"
          checked={isTaken}
          onChange={({ currentTarget }) => onTaken(currentTarget.checked)}
        />
        <span>The spelling is right: pause this type</span>
      </label>
    </div>
  )
}

/** It suggests the types that are known. A type that has not come yet can be paused as well. */
function TypeField({
  type,
  known,
  onType,
}: {
  readonly type: string
  readonly known: readonly string[]
  readonly onType: (type: string) => void
}) {
  const list = useId()
  return (
    <label class="field">
      <span>Type, exactly as it arrives</span>
      <input
        class="mono"
        list={list}
        value={type}
        required
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
      <datalist id={list}>
        {known.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  )
}

/** The limits of the receiver. It compares whole types, so a pattern would pause nothing. */
function typeProblem(type: string): string | undefined {
  if (type === '' || type.length > 512) {
    return 'Write a type of 1 to 512 characters.'
  }
  return type.endsWith('*') ? 'Write one whole type. A pattern pauses nothing.' : undefined
}
