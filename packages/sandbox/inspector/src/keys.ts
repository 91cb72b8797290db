import { focusOn, focusRow, type Key, neighborRow } from 'webhook-inbox-ui'
import { isEditing } from './detail/action-bar.js'
import { replay, replayOnce } from './detail/actions.js'
import { opened } from './detail/open-delivery.js'
import { isDrawerOpen } from './make/panel.js'
import { go, route } from './route.js'
import { togglePause } from './state/deliveries.js'
import { shown } from './state/filter.js'

/** Goes to the next or the previous row; an open delivery gives way to it. */
function move(step: 1 | -1): void {
  const next = neighborRow(
    shown.value.map(({ id }) => id),
    route.value.id,
    step,
  )
  if (next === undefined) {
    return
  }
  if (route.value.id) {
    go({ page: 'deliveries', id: next })
  }
  focusRow(next)
}

function close(): void {
  const { id, page } = route.value
  isDrawerOpen.value = false
  if (id && page === 'deliveries') {
    go({ id: undefined })
    requestAnimationFrame(() => focusRow(id))
  }
}

function openMenu(name: string): void {
  const menu = document.querySelector<HTMLDetailsElement>(`[data-menu="${name}"]`)
  if (menu) {
    menu.open = true
    menu.querySelector('button')?.focus()
  }
}

export const keys: readonly Key[] = [
  ['/', 'Search', () => focusOn('#search')],
  ['j', 'Next row', () => move(1)],
  ['k', 'Previous row', () => move(-1)],
  ['Enter', 'Open the row, and go to what it opens'],
  ['Escape', 'Close it, and go back to the row', close],
  [
    'r',
    'Replay the open delivery, signed anew',
    () => {
      if (opened.value) {
        void replay(opened.value, replayOnce)
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
      requestAnimationFrame(() => focusOn('.make select'))
    },
  ],
]
