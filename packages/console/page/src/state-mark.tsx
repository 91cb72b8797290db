import { Outcome } from 'webhook-inbox-ui'
import type { EventState } from '../../src/wire.js'
import { stateWords } from './state-words.js'

interface StateMarkProps {
  readonly state: EventState
  readonly isPill?: boolean
}

/** The state of an event: a glyph, a word and a color. */
export function StateMark({ state, isPill = false }: StateMarkProps) {
  const [glyph, word] = stateWords[state]
  return (
    <Outcome outcome={glyph} isPill={isPill}>
      {word}
    </Outcome>
  )
}
