import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { announce, Dialog } from 'webhook-inbox-ui'
import { mostReason } from '../../src/limits.js'
import type { ConsoleAction, RunChanged } from '../../src/wire.js'
import { act, type CallError } from './call.js'
import { changes } from './live.js'
import { may, me } from './me.js'
import { closeDialog, openDialog } from './open-dialog.js'
import { useProblem } from './use-problem.js'

export interface ActOffer {
  /** The path below `api/`. */
  readonly path: string
  readonly word: string
  /** The title of its dialog. Default: the word, and what it acts on. */
  readonly title?: string
  /** What the button says that does it. Default: the word and how many. */
  readonly button?: string
  readonly action: ConsoleAction
  /** Goes along with the reason. */
  readonly body?: object
  /** What this does, where the word does not say it. */
  readonly effect?: string
  /** The key of the keyboard. */
  readonly key?: string
  readonly isPrimary?: boolean
  /** Whether it deletes something. */
  readonly isDestructive?: boolean
  /** What to say when it is done. */
  readonly done: string | ((answer: unknown) => string)
  /** Called with the answer when it is done. */
  readonly onDone?: (answer: unknown) => void
}

/** The acts that this person may do, and the rights that are missing for the others. */
export function ActBar({
  what,
  acts,
  children,
}: {
  readonly what: string
  readonly acts: readonly ActOffer[]
  /** Further buttons. */
  readonly children?: ComponentChildren
}) {
  const missing = acts.filter(({ action }) => !may(action))
  return (
    <div class="bar acts">
      {acts
        .filter(({ action }) => may(action))
        .map((offer) => (
          <button
            key={offer.path}
            type="button"
            class={offer.isPrimary ? 'primary' : undefined}
            data-key={offer.key}
            aria-keyshortcuts={offer.key}
            onClick={() => openDialog(<Ask offer={offer} what={what} />)}
          >
            {offer.word}… {offer.key && <kbd>{offer.key}</kbd>}
          </button>
        ))}
      {children}
      {missing.length > 0 && <Missing acts={missing} />}
    </div>
  )
}

function Missing({ acts }: { readonly acts: readonly ActOffer[] }) {
  const words = acts.map(({ word }) => word).join(', ')
  const rights = [...new Set(acts.map(({ action }) => action))].join(', ')
  return (
    <p class="faint">
      {me.value?.isReadOnly
        ? 'This console is read-only.'
        : `Not permitted for you: ${words}. Ask the person who grants rights in your program for ${rights}.`}
    </p>
  )
}

function Ask({ offer, what }: { readonly offer: ActOffer; readonly what: string }) {
  return (
    <Dialog title={offer.title ?? `${offer.word} ${what}`} onClose={closeDialog}>
      {offer.effect && <p>{offer.effect}</p>}
      <ReasonForm
        button={offer.button ?? `${offer.word} 1`}
        isDestructive={offer.isDestructive === true}
        onSubmit={async (reason) => {
          const answer = await act(offer.path, { ...offer.body, reason }).catch((error: CallError) => {
            if (error.status === 409) {
              // Somebody else was faster: show the event as it is now.
              changes.value += 1
            }
            throw error
          })
          announce(wordsOf(offer, answer))
          changes.value += 1
          closeDialog()
          offer.onDone?.(answer)
        }}
      />
    </Dialog>
  )
}

/** What to say of an answer. A pause, for example, may have been there before. */
function wordsOf({ done }: ActOffer, answer: unknown): string {
  if ((answer as Partial<RunChanged>).isChanged === false) {
    return 'Nothing changed: it was so before, or has ended.'
  }
  return typeof done === 'string' ? done : done(answer)
}

/** Asks for the reason, and shows why it could not be done. */
export function ReasonForm({
  button,
  onSubmit,
  isReady = true,
  isDestructive = false,
  children,
}: {
  readonly button: string
  readonly onSubmit: (reason: string) => Promise<void>
  readonly isReady?: boolean
  readonly isDestructive?: boolean
  /** Further fields, above the reason. */
  readonly children?: ComponentChildren
}) {
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useProblem()
  const [isUnderWay, setIsUnderWay] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setIsUnderWay(true)
    try {
      await onSubmit(reason)
      setProblem(undefined)
    } catch (error) {
      setProblem((error as Error).message)
    }
    setIsUnderWay(false)
  }
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
            if (key === 'Enter' && (ctrlKey || metaKey)) {
              currentTarget.form?.requestSubmit()
            }
          }}
        />
      </label>
      {problem && (
        <p class="note" data-outcome="failed" role="alert">
          {problem}
        </p>
      )}
      <button
        type="submit"
        class={isDestructive ? 'primary destructive' : 'primary'}
        disabled={reason.trim() === '' || isUnderWay || !isReady}
      >
        {button}
      </button>
    </form>
  )
}
