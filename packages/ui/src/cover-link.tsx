import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { focusHeading } from './focus.js'

interface CoverLinkProps {
  readonly id: string
  readonly href: string
  readonly isOpen: boolean
  readonly children: ComponentChildren
}

/**
 * The link of a row. It covers the whole row, and comes into view when its row is opened. A second Enter puts the focus on what it
 * opened. By Tab alone, a person would pass every row below to come there.
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
      onClick={({ detail }) => {
        const isByKey = detail === 0
        if (isOpen && isByKey) {
          focusHeading()
        }
      }}
    >
      {children}
    </a>
  )
}
