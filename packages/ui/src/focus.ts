const headings = ['dialog[open] h2', '.pane :is(h1, h2)', 'main :is(h1, h2)']

/** Puts the focus on the open heading: of a dialog, a pane, or else the page. */
function focusHeading(): void {
  const heading = headings.map((each) => document.querySelector<HTMLElement>(each)).find(Boolean)
  if (heading) {
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }
}

/** Puts the focus on an element, or on the heading if the element is gone or cannot be seen. */
export function focusAgain(element: Element | null | undefined): void {
  if (element instanceof HTMLElement && element !== document.body && isShown(element)) {
    element.focus()
  } else {
    focusHeading()
  }
}

const isShown = (element: HTMLElement) => element.isConnected && element.getClientRects().length > 0

/** A page that removes or hides the focused element loses the focus. This puts it on the heading. */
export function keepFocus(): void {
  let last: HTMLElement | undefined
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement ? target : undefined
  })
  // A click decides by itself where the focus is.
  document.addEventListener('pointerdown', () => {
    last = undefined
  })
  new MutationObserver(() => {
    if (last && !isShown(last)) {
      focusHeading()
    }
  }).observe(document.body, { childList: true, subtree: true })
}
