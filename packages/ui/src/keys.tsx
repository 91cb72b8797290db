import { afterHashChange } from './after-hash-change.js'
import { Dialog } from './dialog.js'
import { focusOrHeading } from './focus.js'
import { signal } from './signals.js'

/** A key, what it does as text, and what to call. Without a function the browser does it by itself. */
export type Key = readonly [key: string, words: string, act?: () => void]

export const focusOn = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus()
export const focusRow = (id: string) => rowOf(id)?.focus()

/** Calls `close`, which changes the address, and puts the focus on the row of what was open. */
export function backToRow(id: string, close: () => void): void {
  // The list may be hidden until the page has changed.
  afterHashChange(() => focusOrHeading(rowOf(id)))
  close()
}

const rowOf = (id: string) => document.querySelector<HTMLElement>(`.cover[data-id="${CSS.escape(id)}"]`)

/** The row after or before the one with the focus, or else the open one. */
export function neighborRow(
  ids: readonly string[],
  openId: string | undefined,
  step: 1 | -1,
): string | undefined {
  const focused =
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined
  const from = ids.indexOf(focused ?? openId ?? '')
  return ids[from < 0 ? 0 : from + step]
}

/** Keys act on the page, unless a person types, or a dialog or a menu is open. */
export function listenToKeys(keys: readonly Key[]): void {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open], :popover-open')) {
      return
    }
    if (target instanceof HTMLElement && target.matches('input, textarea, select')) {
      if (key === 'Escape') {
        target.blur()
      }
      return
    }
    const act = key === '?' ? openHelp : keys.find(([name]) => name === key)?.[2]
    if (act) {
      event.preventDefault()
      act()
    }
  })
}

const isHelpOpen = signal(false)

function openHelp(): void {
  isHelpOpen.value = true
}

/** The button and the dialog that list the keys. */
export function Help({ keys }: { readonly keys: readonly Key[] }) {
  return (
    <>
      <button type="button" class="quiet square" aria-label="Keys" title="Keys (?)" onClick={openHelp}>
        ?
      </button>
      {isHelpOpen.value && (
        <Dialog
          title="Keys"
          onClose={() => {
            isHelpOpen.value = false
          }}
        >
          <dl class="keys">
            {[...keys, ['?', 'These keys'] as const].map(([key, words]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}
