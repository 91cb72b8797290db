import { useState } from 'preact/hooks'
import { announce, Dialog, Note } from 'webhook-inbox-ui'
import { act } from '../call.js'
import { useDraft } from '../draft.js'
import { isWhole } from '../holds.js'
import { Known } from '../known.js'
import { changes } from '../live.js'
import { closeDialog } from '../open-dialog.js'
import { pauses } from '../paused.js'
import { ReasonForm } from '../reason-form.js'
import { PausedBy } from '../resume.js'
import { type Kind, NameField, useJudgment } from './pause-target.js'

const kinds: readonly (readonly [kind: Kind, word: string, button: string])[] = [
  ['all', 'Everything of this endpoint', 'Pause everything'],
  ['type', 'One type', 'Pause this type'],
  ['resource', 'One resource', 'Pause this resource'],
]

/** Pauses the whole endpoint, one type or one resource. What is paused cannot be chosen, also if somebody paused it meanwhile. */
export function PauseDialog() {
  const isPaused = pauses.value.some(isWhole)
  const [kind, setKind] = useState<Kind>(isPaused ? 'type' : 'all')
  const [type, setType] = useDraft('pause type')
  const [resource, setResource] = useDraft('pause resource')
  const [doubted, setDoubted] = useState<string>()
  const [name, setName] = kind === 'resource' ? [resource, setResource] : [type, setType]
  const { problem, doubt, known } = useJudgment(kind, name)
  const already = pauses.value.find((pause) => (kind === 'all' ? isWhole(pause) : pause[kind] === name))
  const isTaken = doubt === undefined || doubted === name
  const [, , button] = kinds.find(([each]) => each === kind) as (typeof kinds)[number]
  return (
    <Dialog title="Pause" onClose={closeDialog}>
      <p>Events are still accepted, and wait. Handlers that are running continue.</p>
      <ReasonForm
        button={button}
        draft="pause"
        blocked={
          already ? 'It is paused.' : (problem ?? (isTaken ? undefined : `Confirm the ${kind} first.`))
        }
        onSubmit={async (reason) => {
          const body = { reason, ...(kind !== 'all' && { [kind]: name }) }
          await act('flow/pause', body)
          announce('Events are accepted, and wait.')
          setName('')
          changes.value += 1
          closeDialog()
        }}
      >
        <fieldset class="choice stack tight">
          <legend class="label">What to pause</legend>
          {kinds.map(([each, word]) => (
            <label key={each} class={isPaused && each === 'all' ? 'check faint' : 'check'}>
              <input
                type="radio"
                name="target"
                checked={each === kind}
                disabled={isPaused && each === 'all'}
                onChange={() => setKind(each)}
              />
              <span>
                {word}
                {isPaused && each === 'all' && ', which is paused already'}
              </span>
            </label>
          ))}
        </fieldset>
        {kind !== 'all' && <NameField kind={kind} name={name} known={known} onName={setName} />}
        {already && <PausedBy of={already} />}
        {doubt !== undefined && (
          <div class="stack tight" role="status">
            <Note outcome="quarantined">
              <p>{doubt}</p>
            </Note>
            <Known
              text={`The spelling is right: pause this ${kind}`}
              isKnown={isTaken}
              onChange={(isNow) => setDoubted(isNow ? name : undefined)}
            />
          </div>
        )}
      </ReasonForm>
    </Dialog>
  )
}
