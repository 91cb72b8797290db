import { signal } from '@preact/signals'
import { Glyph } from 'webhook-inbox-ui'
import { ActBar } from './act-bar.js'
import { can, may } from './me.js'
import { go, hrefOf } from './route.js'

/** The event or delivery that was discarded last on this page. */
export const discarded = signal<string | undefined>(undefined)

/** Offers to take the last discard back, until it is closed. */
export function UndoBar() {
  const id = discarded.value
  if (id === undefined || !can('bulk') || !may('events:discard')) {
    return null
  }
  const close = () => {
    discarded.value = undefined
  }
  return (
    <aside class="undo bar" aria-label="Undo">
      <p>
        Discarded <span class="mono">{id}</span>
      </p>
      <ActBar
        what={id}
        acts={[
          {
            path: 'undo',
            body: { of: id },
            word: 'Undo',
            button: 'Restore it',
            action: 'events:discard',
            done: 'It is restored.',
            onDone: () => {
              close()
              if (!id.includes('/')) {
                go(hrefOf('events', id))
              }
            },
          },
        ]}
      />
      <button type="button" class="quiet square end" aria-label="Close" onClick={close}>
        <Glyph name="close" />
      </button>
    </aside>
  )
}
