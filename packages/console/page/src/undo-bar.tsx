import { CloseButton, now } from 'webhook-inbox-ui'
import { pathPart } from '../../src/path-part.js'
import type { Discarded } from '../../src/wire.js'
import { ActBar } from './act-bar.js'
import { type LastDiscard, lastDiscard, UndoUntil, undoOf } from './discarded.js'
import { can, may } from './me.js'
import { go, hrefOf, route } from './route.js'
import { useView } from './use-view.js'

/** Offers to undo the last discard, until its time is over or it is closed. The page of what was discarded offers it itself. */
export function UndoBar() {
  const { id, kind, undoUntil } = lastDiscard.value ?? {}
  const isInTime = undoUntil !== undefined && Date.parse(undoUntil) > now.value
  const isOpen = useIsDiscarded(isInTime ? lastDiscard.value : undefined) && isInTime
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

/** Whether it is still discarded. As long as that cannot be read, the bar stays. */
function useIsDiscarded(discard: LastDiscard | undefined): boolean {
  const path = discard && `${discard.kind === 'event' ? 'events' : 'quarantine'}/${pathPart(discard.id)}`
  const { value } = useView<Partial<Discarded>>(path)
  return value === undefined || value.discard?.undoUntil === discard?.undoUntil
}
