import type { ComponentChildren } from 'preact'

/** A part of a pane with its heading. */
export const Section = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) => (
  <section class="stack tight">
    <h3>{title}</h3>
    {children}
  </section>
)
