import { signal } from '@preact/signals'
import { Dialog } from '../ui/dialog.js'
import { isEditing } from './detail/action-bar.js'
import { replay } from './detail/actions.js'
import { opened } from './detail/open-delivery.js'
import { isDrawerOpen } from './make/rail.js'
import { go, route } from './route.js'
import { togglePause } from './state/deliveries.js'
import { shown } from './state/filter.js'

const isHelpOpen = signal(false)

const focus = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus()
const rowLink = (id: string) => `.cover[data-id="${CSS.escape(id)}"]`

/** Goes to the next or the previous row; an open delivery gives way to it. */
function move(step: 1 | -1): void {
  const focused =
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined
  const from = shown.value.findIndex(({ id }) => id === (focused ?? route.value.id))
  const next = shown.value[from < 0 ? 0 : from + step]
  if (!next) {
    return
  }
  if (route.value.id) {
    go({ page: 'deliveries', id: next.id })
  }
  focus(rowLink(next.id))
}

function close(): void {
  const { id, page } = route.value
  isDrawerOpen.value = false
  if (id && page === 'deliveries') {
    go({ id: undefined })
    requestAnimationFrame(() => focus(rowLink(id)))
  }
}

function openMenu(name: string): void {
  const menu = document.querySelector<HTMLDetailsElement>(`[data-menu="${name}"]`)
  if (menu) {
    menu.open = true
    menu.querySelector('button')?.focus()
  }
}

const keys: readonly (readonly [key: string, words: string, act: () => void])[] = [
  ['/', 'Search', () => focus('#search')],
  ['j', 'Next row', () => move(1)],
  ['k', 'Previous row', () => move(-1)],
  ['Enter', 'Open the row', () => {}],
  ['Escape', 'Back to the list', close],
  [
    'r',
    'Replay the open delivery, signed anew',
    () => {
      if (opened.value) {
        void replay(opened.value, { times: 1, concurrent: false, signature: 'fresh' })
      }
    },
  ],
  [
    'e',
    'Edit and send the open delivery',
    () => {
      isEditing.value = opened.value !== undefined
    },
  ],
  ['c', 'Copy the open delivery as…', () => openMenu('copy')],
  ['p', 'Pause, and go on', togglePause],
  [
    'm',
    'Make something happen',
    () => {
      isDrawerOpen.value = true
      requestAnimationFrame(() => focus('.make select'))
    },
  ],
  [
    '?',
    'These keys',
    () => {
      isHelpOpen.value = true
    },
  ],
]

/** Keys act on the page, unless a person types or a dialog is open. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof Element && target.matches('input, textarea, select')
    if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) {
      return
    }
    if (isTyping) {
      if (key === 'Escape' && target instanceof HTMLElement) {
        target.blur()
      }
      return
    }
    const act = keys.find(([name]) => name === key)?.[2]
    if (act && key !== 'Enter') {
      event.preventDefault()
      act()
    }
  })
}

/** The button and the dialog that list the keys. */
export function Help() {
  return (
    <>
      <button
        type="button"
        class="quiet square"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => {
          isHelpOpen.value = true
        }}
      >
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
            {keys.map(([key, words]) => (
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
