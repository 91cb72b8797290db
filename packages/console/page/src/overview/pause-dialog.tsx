import { useId, useState } from 'preact/hooks'
import { announce, Dialog } from 'webhook-inbox-ui'
import type { FlowChanged, GroupRow, Page, SourcesView } from '../../../src/wire.js'
import { act } from '../call.js'
import { useDraft } from '../draft.js'
import { changes } from '../live.js'
import { can, may } from '../me.js'
import { closeDialog } from '../open-dialog.js'
import { ReasonForm } from '../reason-form.js'
import { useView } from '../use-view.js'

/** Pauses the whole endpoint or one type. The endpoint cannot be chosen while it is paused. */
export function PauseDialog({ isPaused }: { readonly isPaused: boolean }) {
  const [isOneType, setIsOneType] = useState(isPaused)
  const [type, setType] = useDraft('pause type')
  const problem = isOneType ? typeProblem(type) : undefined
  return (
    <Dialog title="Pause" onClose={closeDialog}>
      <p>Events are still accepted, and wait. Handlers that are running continue.</p>
      <ReasonForm
        button={isOneType ? 'Pause this type' : 'Pause everything'}
        draft="pause"
        next={{ word: 'Close and show it as it is now', take: closeDialog }}
        blocked={problem}
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
        {isOneType && <TypeField type={type} onType={setType} />}
      </ReasonForm>
    </Dialog>
  )
}

/** It suggests the types that are known. A type that has not come yet can be paused as well. */
function TypeField({ type, onType }: { readonly type: string; readonly onType: (type: string) => void }) {
  const list = useId()
  const { value: view } = useView<SourcesView>(can('statistics') ? 'sources' : undefined)
  const hasCauses = can('failures') && may('events:read')
  const { value: causes } = useView<Page<GroupRow>>(hasCauses ? 'groups?limit=50' : undefined)
  const known = new Set([
    ...(causes?.rows.flatMap(({ types }) => types) ?? []),
    ...(view?.sources.flatMap((source) => source.type ?? []) ?? []),
  ])
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
        {[...known].sort().map((each) => (
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
