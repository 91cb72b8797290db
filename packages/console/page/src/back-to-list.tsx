import { Glyph } from 'webhook-inbox-ui'
import { hrefOf, type PageName, route } from './route.js'

/** Closes the pane beside a list, and keeps the filter of the list. */
export function BackToList({
  page,
  isAtEnd = false,
}: {
  readonly page: PageName
  readonly isAtEnd?: boolean
}) {
  return (
    <a
      class={isAtEnd ? 'button quiet square end' : 'button quiet square'}
      href={hrefOf(page, undefined, route.value.query)}
      aria-label="Back to the list"
    >
      <Glyph name="close" />
    </a>
  )
}
