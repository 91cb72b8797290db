import type { ComponentChild, ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { announce, Dialog } from 'webhook-inbox-ui'
import type { ConsoleAction, RunChanged } from '../../src/wire.js'
import { act, type CallError } from './call.js'
import { Known } from './known.js'
import { changes } from './live.js'
import { may } from './me.js'
import { closeDialog, openDialog } from './open-dialog.js'
import { ReasonForm } from './reason-form.js'

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
  /** What to know before, above the reason. */
  readonly warning?: ComponentChild
  /** What the person must confirm first, besides the reason. */
  readonly confirm?: string | undefined
  /** The key of the keyboard. */
  readonly key?: string
  readonly isPrimary?: boolean
  /** Whether it deletes something. */
  readonly isDestructive?: boolean
  /** What to say when it is done. Default: nothing, because the page shows it. */
  readonly done?: string | ((answer: unknown) => string)
  /** Called with the answer when it is done. */
  readonly onDone?: (answer: unknown) => void
  /** Called when the program rejects it. Another try of the same would fail again. */
  readonly onRejected?: () => void
}

/** The acts that this person may do. Of the others it says nothing, because the top bar names a person who may only look. */
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
  const permitted = acts.filter(({ action }) => may(action))
  return permitted.length > 0 || children !== undefined ? (
    <div class="bar acts">
      {permitted.map((offer) => (
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
    </div>
  ) : null
}

function Ask({ offer, what }: { readonly offer: ActOffer; readonly what: string }) {
  const title = offer.title ?? `${offer.word} ${what}`
  const isOpen = useRef(true)
  const [isKnown, setIsKnown] = useState(false)
  useEffect(
    () => () => {
      isOpen.current = false
    },
    [],
  )
  return (
    <Dialog title={title} onClose={closeDialog}>
      {offer.effect && <p>{offer.effect}</p>}
      {offer.warning}
      <ReasonForm
        button={offer.button ?? `${offer.word} 1`}
        isDestructive={offer.isDestructive === true}
        draft={draftOf(offer)}
        blocked={offer.confirm && !isKnown ? 'Confirm it first.' : undefined}
        onSubmit={async (reason) => {
          const answer = await act(offer.path, { ...offer.body, reason }).catch((error: CallError) => {
            if (!isOpen.current) {
              announce(`${title}: ${error.message}`)
            }
            if (error.status === 409 || error.status === 422) {
              offer.onRejected?.()
            }
            throw error
          })
          announce(wordsOf(offer, answer))
          changes.value += 1
          if (isOpen.current) {
            closeDialog()
          }
          offer.onDone?.(answer)
        }}
      >
        {offer.confirm ? <Known text={offer.confirm} isKnown={isKnown} onChange={setIsKnown} /> : undefined}
      </ReasonForm>
    </Dialog>
  )
}

/** The act and what it acts on, whatever its state. */
const draftOf = ({ path, body }: ActOffer): string =>
  JSON.stringify([path, { ...body, seen: undefined, copies: undefined, underWay: undefined }])

/** What to say of an answer. An operation may have ended in the meantime. */
function wordsOf({ done = '' }: ActOffer, answer: unknown): string {
  if ((answer as Partial<RunChanged>).isChanged === false) {
    return 'Nothing changed: it has ended.'
  }
  return typeof done === 'string' ? done : done(answer)
}
