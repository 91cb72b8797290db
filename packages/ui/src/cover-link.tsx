import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { afterHashChange } from './after-hash-change.js'
import { focusHeading } from './focus.js'

interface CoverLinkProps {
  readonly id: string
  readonly href: string
  readonly isOpen: boolean
  readonly children: ComponentChildren
}

/**
 * The link of a row. It covers the whole row, and comes into view when its row is opened. By keyboard it also puts the focus on
 * what it opens: from the row, that is behind all other rows.
 */
export function CoverLink({ id, href, isOpen, children }: CoverLinkProps) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isOpen) {
      link.current?.scrollIntoView({ block: 'nearest' })
    }
  }, [isOpen])
  return (
    <a
      ref={link}
      class="cover"
      href={href}
      data-id={id}
      aria-current={isOpen ? 'true' : undefined}
      onClick={({ detail, ctrlKey, metaKey, shiftKey }) => {
        // A click of a pointer has a count. With a further key the browser opens another tab.
        if (detail > 0 || ctrlKey || metaKey || shiftKey) {
          return
        }
        if (isOpen) {
          focusHeading()
        } else {
          afterHashChange(focusHeading)
        }
      }}
    >
      {children}
    </a>
  )
}
