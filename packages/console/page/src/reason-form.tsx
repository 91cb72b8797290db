import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isBlank } from '../../src/is-blank.js'
import { mostReason } from '../../src/limits.js'
import { Alarm } from './alarm.js'
import type { CallError } from './call.js'
import { useDraft } from './draft.js'
import { changes } from './live.js'
import { me } from './me.js'
import { closeDialog } from './open-dialog.js'
import { useProblem } from './use-problem.js'

interface NextStep {
  readonly word: string
  readonly take: () => void
}

interface ReasonFormProps {
  readonly button: string
  readonly onSubmit: (reason: string) => Promise<void>
  /** Names the act and what it acts on. A reason that was typed for it stays until it is used. */
  readonly draft: string
  /** What to do where the act can only fail again. Default: close the dialog. */
  readonly next?: NextStep
  /** Why it cannot be done yet, besides a missing reason. */
  readonly blocked?: string | undefined
  readonly isDestructive?: boolean
  /** Further fields, above the reason. */
  readonly children?: ComponentChildren
}

const close: NextStep = { word: 'Close and show it as it is now', take: closeDialog }

/** Asks for the reason, and shows why it could not be done. */
export function ReasonForm({ button, onSubmit, draft, next = close, blocked, ...over }: ReasonFormProps) {
  const { isDestructive = false, children } = over
  const [reason, setReason] = useDraft(`${draft} reason`)
  const [problem, setProblem] = useProblem(true)
  const [isFinal, setIsFinal] = useState(false)
  const [isUnderWay, setIsUnderWay] = useState(false)
  // Without a space, as an id.
  const hint = encodeURIComponent(draft)
  const submit = async (event: Event) => {
    event.preventDefault()
    setIsUnderWay(true)
    try {
      await onSubmit(reason)
      setProblem(undefined)
      setReason('')
    } catch (error) {
      if ((error as CallError).status !== undefined) {
        // Somebody else may have been faster: show what is there now.
        changes.value += 1
      }
      setProblem(error)
      setIsFinal(failsAgain(error as CallError, children !== undefined))
    }
    setIsUnderWay(false)
  }
  const wait = isUnderWay
    ? 'Under way…'
    : (blocked ?? (isBlank(reason) ? 'Write the reason first.' : undefined))
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      {children}
      <label class="field">
        <span>Why? It is kept for auditors, with your name: {me.value?.actor}.</span>
        <textarea
          rows={2}
          required
          maxLength={mostReason}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
          onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
            if (key === 'Enter' && (ctrlKey || metaKey) && !isFinal) {
              currentTarget.form?.requestSubmit()
            }
          }}
        />
      </label>
      {problem && <Alarm>{problem}</Alarm>}
      {isFinal ? (
        <Next {...next} />
      ) : (
        <div class="bar">
          <button
            type="submit"
            class={isDestructive ? 'primary destructive' : 'primary'}
            disabled={wait !== undefined}
            aria-describedby={hint}
          >
            {button}
          </button>
          <span id={hint} class="faint">
            {wait}
          </span>
        </div>
      )}
    </form>
  )
}

/** Whether the same request can only fail again. One with further fields can be corrected. */
const failsAgain = ({ status, said }: CallError, hasFields: boolean): boolean =>
  status === 403 ||
  status === 404 ||
  (status === 409 && !(said.underWay && hasFields)) ||
  (status === 422 && !hasFields)

function Next({ word, take }: NextStep) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => button.current?.focus(), [])
  return (
    <button ref={button} type="button" class="primary" onClick={take}>
      {word}
    </button>
  )
}
