import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { focusAgain } from './focus.js'
import { Glyph } from './glyph.js'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

const fields = ':is(input, textarea, select):enabled'

/** Puts the focus on the first field, as soon as there is one. Returns a function that ends the wait. */
function focusFirstField(dialog: HTMLElement): () => void {
  // On the button that closes, a space would close the dialog.
  dialog.focus()
  const look = () => {
    const field = dialog.querySelector<HTMLElement>(fields)
    field?.focus()
    return field !== null
  }
  if (look()) {
    return () => {}
  }
  const observer = new MutationObserver(() => {
    if (document.activeElement !== dialog || look()) {
      observer.disconnect()
    }
  })
  observer.observe(dialog, { childList: true, subtree: true })
  return () => observer.disconnect()
}

/**
 * A dialog that is open for as long as it is rendered. It opens with the focus on its first field. Escape closes it, and the
 * focus goes back.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Before the next key: its letter belongs to the field.
  useLayoutEffect(() => {
    const before = document.activeElement
    const open = dialog.current as HTMLDialogElement
    open.showModal()
    const end = focusFirstField(open)
    return () => {
      end()
      open.close()
      focusAgain(before)
    }
  }, [])
  return (
    <dialog ref={dialog} tabIndex={-1} aria-label={title} onClose={onClose} class="stack">
      <div class="bar">
        <h2>{title}</h2>
        <button
          type="button"
          class="quiet square end"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <Glyph name="close" />
        </button>
      </div>
      {children}
    </dialog>
  )
}
