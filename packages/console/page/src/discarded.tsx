import { Ago, Note, now, Time } from 'webhook-inbox-ui'
import { signal } from 'webhook-inbox-ui/signals'
import type { Discarded as DiscardedView, Undo } from '../../src/wire.js'
import { ActBar, type ActOffer } from './act-bar.js'
import { AuditTable } from './audits/table.js'
import { can } from './me.js'
import { NeedsAudits } from './needs-audits.js'
import { Section } from './section.js'

/** The event or delivery that was discarded last on this page, and until when that can be undone. */
export const lastDiscard = signal<LastDiscard | undefined>(undefined)

type Kind = NonNullable<Undo['kind']>

export interface LastDiscard {
  readonly id: string
  readonly kind: Kind
  readonly undoUntil?: string
}

/** An event or a delivery that somebody discarded: who, when, and until when it can be restored. */
export function Discarded({
  id,
  kind,
  view,
}: {
  readonly id: string
  readonly kind: Kind
  readonly view: DiscardedView
}) {
  const { discard, was, audits = [] } = view
  const { at, actor, undoUntil } = discard
  const isOpen = undoUntil !== undefined && Date.parse(undoUntil) > now.value
  return (
    <>
      <div role="status">
        <Note outcome="canceled">
          <p>
            <strong>Discarded</strong> <Ago at={at} />
            {actor !== undefined && ` by ${actor}`}.{' '}
            {isOpen ? <UndoUntil at={undoUntil} /> : 'It can no longer be restored.'}
          </p>
          {was && (
            <p>
              It was {was.type}
              {was.resource && `, resource ${was.resource}`}.{' '}
              {was.lastError && <span class="mono">{was.lastError}</span>}
            </p>
          )}
          <NeedsAudits what="Who discarded it and why" />
        </Note>
      </div>
      {isOpen && can('bulk') && <ActBar what={id} acts={[undoOf(id, kind, undoUntil)]} />}
      {audits.length > 0 && (
        <Section title="Who did what">
          <AuditTable rows={audits} of={id} />
        </Section>
      )}
    </>
  )
}

export const UndoUntil = ({ at }: { readonly at: string }) => (
  <>
    Undo is possible until <Time at={at} />, <Ago at={at} />.
  </>
)

/** What a dialog says before an undo. */
export const undoWarning = (at: string) => (
  <p>
    <UndoUntil at={at} />
  </p>
)

/** Restores one discarded event or delivery. */
export const undoOf = (id: string, kind: Kind, undoUntil: string, onDone?: () => void): ActOffer => ({
  path: 'undo',
  // The server undoes no other discard, such as a later one by somebody else.
  body: { of: id, kind, seen: { undoUntil } },
  word: 'Undo',
  title: `Undo the discard of ${id}`,
  button: 'Restore it',
  warning: undoWarning(undoUntil),
  action: 'events:discard',
  done: `${id} is restored.`,
  onDone() {
    forget(id)
    onDone?.()
  },
  onRejected: () => forget(id),
})

function forget(id: string): void {
  if (lastDiscard.value?.id === id) {
    lastDiscard.value = undefined
  }
}
