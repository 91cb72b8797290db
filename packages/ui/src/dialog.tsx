import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Glyph } from './glyph.js'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A dialog that is open for as long as it is rendered. Escape closes it, and the focus goes back. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) {
        before.focus()
      }
    }
  }, [])
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose} class="stack">
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
