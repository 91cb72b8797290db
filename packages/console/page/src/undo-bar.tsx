import { CloseButton, now } from 'webhook-inbox-ui'
import { ActBar } from './act-bar.js'
import { lastDiscard, UndoUntil, undoOf } from './discarded.js'
import { can, may } from './me.js'
import { go, hrefOf, route } from './route.js'

/** Offers to undo the last discard, until its time is over or it is closed. The page of what was discarded offers it itself. */
export function UndoBar() {
  const { id, kind, undoUntil } = lastDiscard.value ?? {}
  const isOpen = undoUntil !== undefined && Date.parse(undoUntil) > now.value
  if (
    id === undefined ||
    kind === undefined ||
    id === route.value.id ||
    !isOpen ||
    !can('bulk') ||
    !may('events:discard')
  ) {
    return null
  }
  return (
    <aside class="undo bar" aria-label="Undo">
      <p>
        Discarded <span class="mono">{id}</span>. <UndoUntil at={undoUntil} />
      </p>
      <ActBar
        what={id}
        acts={[undoOf(id, kind, undoUntil, () => kind === 'event' && go(hrefOf('events', id)))]}
      />
      <CloseButton
        onClick={() => {
          lastDiscard.value = undefined
        }}
      />
    </aside>
  )
}
