import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface CoverLinkProps {
  readonly id: string
  readonly href: string
  readonly isOpen: boolean
  readonly children: ComponentChildren
}

/** The link of a row. It covers the whole row, and comes into view when its row is opened. */
export function CoverLink({ id, href, isOpen, children }: CoverLinkProps) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isOpen) {
      link.current?.scrollIntoView({ block: 'nearest' })
    }
  }, [isOpen])
  return (
    <a ref={link} class="cover" href={href} data-id={id} aria-current={isOpen ? 'true' : undefined}>
      {children}
    </a>
  )
}
