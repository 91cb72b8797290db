import type { ComponentChildren } from 'preact'

/** A table that scrolls sideways where it is too wide, also by keyboard. */
export function Table({
  label,
  class: of,
  children,
}: {
  readonly label: string
  readonly class?: string
  readonly children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
    <section class="scrolls" tabIndex={0} aria-label={`${label}, from side to side`}>
      <table class={of} aria-label={label}>
        {children}
      </table>
    </section>
  )
}
