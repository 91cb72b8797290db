export const fields = ':is(input, textarea, select):enabled'

/** Puts the focus on the open heading: of a dialog, a pane, or else the page. Without a heading, on what has none yet. */
export function focusHeading(): void {
  const open =
    document.querySelector<HTMLElement>('dialog[open], .pane') ?? document.querySelector<HTMLElement>('main')
  const heading = open?.querySelector<HTMLElement>('h1, h2')
  if (heading && open?.tagName !== 'DIALOG') {
    // A click beside the text puts the focus on nothing again.
    open?.removeAttribute('tabindex')
  }
  const target = heading ?? open
  if (target) {
    target.tabIndex = -1
    target.focus({ preventScroll: true })
  }
}

const isShown = (element: HTMLElement) => element.getClientRects().length > 0

/** Puts the focus on an element, or on the heading if the element is gone or cannot be seen. */
export function focusOrHeading(element: HTMLElement | null): void {
  if (element && isShown(element)) {
    element.focus()
  } else {
    focusHeading()
  }
}

/**
 * A page that removes or hides the focused element loses the focus. This puts it on the heading. In a dialog whose fields
 * come late, it puts the focus on the first one. In a pane whose heading comes late, it puts the focus on the heading.
 */
export function keepFocus(): void {
  let last: EventTarget | null
  addEventListener('focusin', ({ target }) => {
    last = target
  })
  // A click decides by itself where the focus is.
  addEventListener('pointerdown', () => {
    last = null
  })
  new MutationObserver(() => {
    const { activeElement } = document
    if (activeElement?.tagName === 'DIALOG') {
      // A person reads the warnings above it first.
      activeElement.querySelector<HTMLElement>(fields)?.focus({ preventScroll: true })
    } else if (activeElement?.matches('.pane, main') || (last instanceof HTMLElement && !isShown(last))) {
      focusHeading()
    }
  }).observe(document.body, { childList: true, subtree: true })
}
