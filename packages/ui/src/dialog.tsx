import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { CloseButton } from './close-button.js'
import { fields } from './focus.js'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/**
 * A dialog that is open for as long as it is rendered. It opens with the focus on its first field. Escape closes it, and the
 * focus goes back. Another view of the page closes it too, because it acts on what is no longer shown.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Before the next key: its letter belongs to the field.
  useLayoutEffect(() => {
    const open = dialog.current as HTMLDialogElement
    open.showModal()
    // Without a field not the button: there a space would close it.
    const first = open.querySelector<HTMLElement>(fields) ?? open
    first.focus({ preventScroll: true })
    // The event may be of the change before, because a browser sends it later than it changes the address.
    const { hash } = location
    const leave = () => location.hash !== hash && open.close()
    addEventListener('hashchange', leave)
    return () => {
      removeEventListener('hashchange', leave)
      open.close()
    }
  }, [])
  return (
    <dialog ref={dialog} tabIndex={-1} aria-label={title} onClose={onClose} class="stack">
      <div class="bar">
        <h2 class="grow">{title}</h2>
        <CloseButton onClick={() => dialog.current?.close()} />
      </div>
      {children}
    </dialog>
  )
}
