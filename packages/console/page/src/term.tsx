import type { ComponentChildren } from 'preact'

/** A name and its value in a list of facts. */
export const Term = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)
