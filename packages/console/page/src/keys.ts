import { afterHashChange, backToRow, focusOn, focusRow, type Key, neighborRow } from 'webhook-inbox-ui'
import { listed } from './events/list.js'
import { go, hrefOf, pages, route } from './route.js'

/** The rows of the open list, from top to bottom. */
const idsOfRows = (): readonly string[] =>
  route.value.page === 'events'
    ? listed.value
    : [...document.querySelectorAll<HTMLElement>('.cover')].map(({ dataset }) => dataset.id ?? '')

/** Goes to the next or the previous row. Where a pane is open, that row opens. */
function move(step: 1 | -1): void {
  const { page, id, query } = route.value
  const next = neighborRow(idsOfRows(), id, step)
  if (next === undefined) {
    return
  }
  if (id !== undefined && page !== 'operations') {
    go(hrefOf(page, next, query))
  }
  focusRow(next)
}

function close(): void {
  const { page, id, query } = route.value
  if (id !== undefined) {
    backToRow(id, () => go(hrefOf(page, undefined, query)))
  }
}

/** Presses the button of the view that has this key. */
const press = (key: string) => () => document.querySelector<HTMLElement>(`[data-key="${key}"]`)?.click()

/** Goes to the search of this page, or else to that of the events. A pane may hide it. */
function search(): void {
  const { page, query } = route.value
  if (document.querySelector('#search')?.checkVisibility()) {
    focusOn('#search')
    return
  }
  afterHashChange(() => focusOn('#search'))
  go(hrefOf('events', undefined, page === 'events' ? query : []))
}

export const keys: readonly Key[] = [
  ['/', 'Search events, or audits on their page', search],
  ['j', 'Next row', () => move(1)],
  ['k', 'Previous row', () => move(-1)],
  ['Enter', 'Open the row, and go to what it opens'],
  ['Escape', 'Close it, and go back to the row', close],
  ['r', 'Replay or retry the open event', press('r')],
  ['e', 'Edit and replay the open event', press('e')],
  ['c', 'Copy the open event as…', press('c')],
  ['a', 'Act on all events that match, in their list', press('a')],
  ...pages.map(([page, title], at) => [`${at + 1}`, title, () => go(hrefOf(page))] as const),
]
