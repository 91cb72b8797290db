import { Ago, Note } from 'webhook-inbox-ui'
import { pathPart } from '../../src/path-part.js'
import type { CircuitRow, GroupDetail, PauseRow, RunView } from '../../src/wire.js'
import { digits } from './digits.js'
import { holdsOf, type Which } from './holds.js'
import { can, may } from './me.js'
import { pauses } from './paused.js'
import { hrefOf } from './route.js'
import { useView } from './use-view.js'

/** How many circuits and pauses are named. */
const mostNamed = 5

export const useCircuits = (): readonly CircuitRow[] =>
  useView<readonly CircuitRow[]>(can('flow') && may('overview:read') ? 'flow/circuits' : undefined).value ??
  []

/** Why a type does not run, and when it is tried again. */
export function CircuitWords({ circuit: { type, retryAt, isOnTrial } }: { circuit: CircuitRow }) {
  return (
    <>
      <a href={hrefOf('events', undefined, [['type', type]])}>{type}</a> does not run: it failed too often in
      a row.{' '}
      {isOnTrial ? (
        'One event runs now as a trial.'
      ) : (
        <>
          One event runs as a trial <Ago at={retryAt} />.
        </>
      )}
    </>
  )
}

/** Which circuits and pauses hold events back, and what to do. Shows nothing where none does. */
export function Held({ types, resource }: Which) {
  const known = { circuits: useCircuits(), pauses: pauses.value }
  const { circuits, pauses: paused } = holdsOf(known, { types, resource })
  const lines = [
    ...paused.map((pause) => <p key={`pause ${pause.type}/${pause.resource}`}>{pauseWords(pause)}</p>),
    ...circuits.map((circuit) => (
      <p key={`circuit ${circuit.type}`}>
        <CircuitWords circuit={circuit} />
      </p>
    )),
  ]
  const left = lines.length - mostNamed
  return lines.length > 0 ? (
    <Note outcome="failed">
      {lines.slice(0, mostNamed)}
      {left > 0 && <p>and {digits(left)} more.</p>}
      <p>
        Until then its events wait, also after a replay or a retry.
        {circuits.length > 0 && ' Correct the cause first: if the trial succeeds, the other events run.'}{' '}
        {paused.length > 0 && <a href={hrefOf('overview')}>Where it can be resumed</a>}
      </p>
    </Note>
  ) : null
}

/** As {@link Held}, for the events of a filter. */
export function HeldOf({ where }: { readonly where: NonNullable<RunView['where']> }) {
  const { type, group, resource } = where
  const isOfCause = group !== undefined && can('failures')
  const cause = useView<GroupDetail>(isOfCause ? `groups/${pathPart(group)}` : undefined)
  return <Held types={type === undefined ? cause.value?.types : [type]} resource={resource} />
}

const pauseWords = ({ type, resource }: PauseRow): string =>
  `${type ?? (resource === undefined ? 'Everything of this endpoint' : `Resource ${resource}`)} is paused, and does not run until somebody resumes it.`
