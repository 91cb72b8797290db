import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Glyph } from './glyph.js'

interface MenuProps {
  readonly label: ComponentChildren
  readonly isPrimary?: boolean
  readonly name: string
  readonly children: ComponentChildren
}

/** A button that opens a list of buttons. Escape, a choice or a click elsewhere closes it. */
export function Menu({ label, isPrimary = false, name, children }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = ({ target }: Event) => {
      if (details.current?.open && !details.current.contains(target as Node)) {
        details.current.open = false
      }
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [])
  const shut = () => {
    if (details.current?.open) {
      details.current.open = false
      details.current.querySelector('summary')?.focus()
    }
  }
  return (
    <details
      ref={details}
      class="menu"
      data-menu={name}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && details.current?.open) {
          event.stopPropagation()
          shut()
        }
      }}
      onClick={({ target }) => {
        if ((target as Element).closest('button')) {
          shut()
        }
      }}
    >
      <summary class={isPrimary ? 'button primary' : 'button'}>
        {label} <Glyph name="down" size={12} />
      </summary>
      <div class="menu-list">{children}</div>
    </details>
  )
}
