import type { ComponentChildren } from 'preact'
import { isolated } from './isolated.js'

/** A box of text that scrolls, also by keyboard. */
export function Code({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>{typeof children === 'string' ? isolated(children) : children}</pre>
    </section>
  )
}
