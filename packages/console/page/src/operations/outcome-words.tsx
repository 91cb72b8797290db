import type { RunView } from '../../../src/wire.js'
import { Parts } from '../parts.js'
import { outcomeOf } from './words.js'

/** What a run has come to: what became of its events stands out, and the rest is small. */
export function OutcomeWords({ run }: { readonly run: RunView }) {
  const [head, rest] = outcomeOf(run)
  return (
    <>
      <strong>
        <Parts of={head} />
      </strong>{' '}
      {rest && (
        <span class="faint">
          <Parts of={rest} />
        </span>
      )}
    </>
  )
}
