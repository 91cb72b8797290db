import { Note } from 'webhook-inbox-ui'
import { CircuitWords, useCircuits } from '../held.js'

/** The types that do not run, because their events failed in a row. */
export function Circuits() {
  const circuits = useCircuits()
  return (
    <section class="stack tight" aria-label="Open circuits" hidden={circuits.length === 0}>
      {circuits.map((circuit) => (
        <Note key={circuit.type} outcome="failed">
          <p>
            <CircuitWords circuit={circuit} />
          </p>
        </Note>
      ))}
    </section>
  )
}
