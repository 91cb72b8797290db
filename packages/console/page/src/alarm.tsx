import type { ComponentChildren } from 'preact'

/** Why something could not be done. Screen readers say it immediately. */
export const Alarm = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="note" data-outcome="failed" role="alert">
    {children}
  </p>
)
