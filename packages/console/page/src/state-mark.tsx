import { Outcome } from 'webhook-inbox-ui'
import type { EventState } from '../../src/wire.js'
import { claimedWords, stateWords } from './state-words.js'

interface StateMarkProps {
  readonly state: EventState
  readonly isPill?: boolean
  /** Why it does not run, or that it does. */
  readonly why?: string | undefined
}

/** The state of an event: a glyph, a word and a color. */
export function StateMark({ state, isPill = false, why }: StateMarkProps) {
  const [glyph, word] = claimedWords[why ?? ''] ?? stateWords[state]
  return (
    <Outcome outcome={glyph} isPill={isPill}>
      {word}
    </Outcome>
  )
}
