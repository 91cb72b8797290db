import { Glyph } from './glyph.js'

/** The cross at the end of a bar. */
export const CloseButton = ({ onClick }: { readonly onClick: () => void }) => (
  <button type="button" class="quiet square end" aria-label="Close" onClick={onClick}>
    <Glyph name="close" />
  </button>
)
