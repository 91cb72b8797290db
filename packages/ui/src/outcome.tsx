import type { ComponentChildren } from 'preact'
import { Glyph, type GlyphName } from './glyph.js'

interface OutcomeProps {
  /** The name that decides the glyph and the color. */
  readonly outcome: GlyphName
  readonly isPill?: boolean
  readonly children: ComponentChildren
}

/** An outcome: a glyph, a word and a color. */
export function Outcome({ outcome, isPill = false, children }: OutcomeProps) {
  return (
    <span class={isPill ? 'outcome pill' : 'outcome'} data-outcome={outcome}>
      <Glyph name={outcome} />
      {children}
    </span>
  )
}

/** A sentence with a verdict. */
export function Note({ outcome, children }: Omit<OutcomeProps, 'isPill'>) {
  return (
    <div class="note" data-outcome={outcome}>
      {children}
    </div>
  )
}
