import { Note } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { DiscardDone, EventDetail, RunView } from '../../../src/wire.js'
import { ActBar, type ActOffer } from '../act-bar.js'
import { lastDiscard } from '../discarded.js'
import { Held } from '../held.js'
import { can } from '../me.js'
import { outcomeText } from '../operations/words.js'
import { claimedWords } from '../state-words.js'
import { EditAndReplay } from './edit.js'
import { SnippetButton } from './snippet.js'

/** What can be done with one event in its state. */
export function EventActs({ event }: { readonly event: EventDetail }) {
  const { id, type, resource, state, generation, copies = [], before, explanation } = event
  const path = `events/${pathPart(id)}`
  // The server rejects the act where the event is another one by then.
  const body = { seen: { state, generation } }
  const warning = <Held types={[type]} resource={resource} />
  const acts: ActOffer[] = []
  // While a process has it, nothing else can change it.
  const isClaimed = claimedWords[explanation?.reason ?? ''] !== undefined
  const canChange = can('bulk') && !isClaimed
  if (state === 'failed' && canChange) {
    acts.push({
      path: `${path}/retry-now`,
      body,
      word: 'Retry now',
      action: 'events:retry',
      key: 'r',
      isPrimary: true,
      effect: before.retryNow,
      warning,
      done: (answer) => `${id}: ${outcomeText(answer as RunView)}`,
    })
  }
  if (state === 'dead' || state === 'done') {
    acts.push({
      path: `${path}/replay`,
      body: { ...body, copies },
      word: 'Replay',
      action: 'events:replay',
      key: 'r',
      isPrimary: state === 'dead',
      done: `${id} runs again.`,
      warning: (
        <>
          {before.replay && (
            <Note outcome="quarantined">
              {before.replay.split('\n').map((line) => (
                <p key={line}>{line}</p>
              ))}
            </Note>
          )}
          {warning}
        </>
      ),
      confirm:
        copies.length > 0
          ? 'I know that both run.'
          : state === 'done'
            ? 'I know that its handler runs a second time.'
            : undefined,
    })
  }
  if ((state === 'failed' || state === 'accepted') && canChange) {
    acts.push({
      path: `${path}/give-up`,
      body,
      word: 'Give up',
      action: 'events:give-up',
      effect: before.giveUp,
      done: (answer) => `${id}: ${outcomeText(answer as RunView)}`,
    })
  }
  if (state === 'dead') {
    acts.push({
      path: `${path}/discard`,
      body,
      word: 'Discard',
      action: 'events:discard',
      isDestructive: true,
      effect: before.discard,
      onDone: (answer) => {
        lastDiscard.value = { id, kind: 'event', ...(answer as DiscardDone) }
      },
    })
  }
  return (
    <ActBar what={id} acts={acts}>
      {canChange && <EditAndReplay event={event} />}
      <SnippetButton id={id} />
    </ActBar>
  )
}
