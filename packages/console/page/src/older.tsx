/** Leads to the next page of a list. */
export function Older({ href }: { readonly href: string }) {
  return (
    <a class="button" href={href}>
      Older
    </a>
  )
}
