import { Note } from 'webhook-inbox-ui'
import type { CircuitRow } from '../../../src/wire.js'
import { CircuitWords } from '../held.js'

/** The types that do not run, because their events failed in a row. */
export function Circuits({ rows }: { readonly rows: readonly CircuitRow[] }) {
  return (
    <section class="stack tight" aria-label="Open circuits" hidden={rows.length === 0}>
      {rows.map((circuit) => (
        <Note key={circuit.type} outcome="failed">
          <p>
            <CircuitWords circuit={circuit} />
          </p>
        </Note>
      ))}
    </section>
  )
}
