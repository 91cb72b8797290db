import type { ComponentChildren } from 'preact'

interface FoldProps {
  readonly title: string
  /** What is worth knowing while it is shut. */
  readonly aside?: ComponentChildren
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

/** A part of the panel that opens. */
export function Fold({ title, aside, isOpen = false, children }: FoldProps) {
  return (
    <details class="fold" open={isOpen}>
      <summary>
        <h3>{title}</h3>
        <span class="end">{aside}</span>
      </summary>
      <div class="stack">{children}</div>
    </details>
  )
}
