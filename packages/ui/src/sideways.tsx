import type { ComponentChildren } from 'preact'

/** A box that scrolls sideways where its table is too wide, also by keyboard. */
export function Sideways({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
    <section class="scrolls" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
