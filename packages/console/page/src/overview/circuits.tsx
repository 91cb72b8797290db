import { Ago, Note } from 'webhook-inbox-ui'
import type { CircuitRow } from '../../../src/wire.js'
import { hrefOf } from '../route.js'
import { times } from '../state-words.js'

/** The types that do not run, because their events failed in a row. */
export function Circuits({ rows }: { readonly rows: readonly CircuitRow[] }) {
  return (
    <section class="stack tight" aria-label="Open circuits" hidden={rows.length === 0}>
      {rows.map(({ type, failures, retryAt, isOnTrial }) => (
        <Note key={type} outcome="failed">
          <p>
            <a href={hrefOf('events', undefined, [['type', type]])}>{type}</a> does not run: it failed{' '}
            {times(failures)} in a row for one cause.{' '}
            {isOnTrial ? (
              'One event runs now as a trial.'
            ) : (
              <>
                One event runs as a trial <Ago at={retryAt} />.
              </>
            )}
          </p>
        </Note>
      ))}
    </section>
  )
}
