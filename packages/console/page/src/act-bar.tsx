import { useState } from 'preact/hooks'
import { announce, Dialog } from 'webhook-inbox-ui'
import type { ConsoleAction } from '../../src/wire.js'
import { act } from './call.js'
import { changes } from './live.js'
import { may, me } from './me.js'

export interface ActOffer {
  /** The last part of its path. */
  readonly name: string
  readonly word: string
  /** What the button says that does it. Default: the word and how many. */
  readonly button?: string
  readonly action: ConsoleAction
  /** What to say when it is done. */
  readonly done: string
}

/** The acts that this person may do, and the rights that are missing for the others. */
export function ActBar({
  path,
  what,
  acts,
}: {
  readonly path: string
  readonly what: string
  readonly acts: readonly ActOffer[]
}) {
  const [asking, setAsking] = useState<ActOffer>()
  const missing = acts.filter(({ action }) => !may(action))
  return (
    <div class="bar">
      {acts
        .filter(({ action }) => may(action))
        .map((offer) => (
          <button key={offer.name} type="button" onClick={() => setAsking(offer)}>
            {offer.word}…
          </button>
        ))}
      {missing.length > 0 && (
        <p class="faint">
          {me.value?.isReadOnly
            ? 'This console is read-only.'
            : `${missing.map(({ word }) => word).join(' and ')} needs the right ${missing.map(({ action }) => action).join(', ')}.`}
        </p>
      )}
      {asking && <Ask offer={asking} path={path} what={what} onClose={() => setAsking(undefined)} />}
    </div>
  )
}

function Ask({
  offer,
  path,
  what,
  onClose,
}: {
  readonly offer: ActOffer
  readonly path: string
  readonly what: string
  readonly onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isUnderWay, setIsUnderWay] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setIsUnderWay(true)
    try {
      await act(`${path}/${offer.name}`, { reason })
      announce(offer.done)
      changes.value += 1
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
    }
    setIsUnderWay(false)
  }
  return (
    <Dialog title={`${offer.word} ${what}`} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <label class="field">
          <span>Why? It is kept for auditors, with your name: {me.value?.actor}.</span>
          <textarea
            rows={2}
            required
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        {problem && (
          <p class="note" data-outcome="failed" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary" disabled={reason.trim() === '' || isUnderWay}>
          {offer.button ?? `${offer.word} 1`}
        </button>
      </form>
    </Dialog>
  )
}
