import type { AppliedStates, CanaryWait, RunDetail } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { WhyWords } from '../event/why.js'
import { EventLinks } from '../event-link.js'
import { hrefOf } from '../route.js'
import { counted } from '../state-words.js'

/** What became of a canary that failed, with links to the events that are not done yet. */
export function CanaryFailed({
  run: { id, state, note, canaryFailed, canaryError },
  states,
}: {
  readonly run: RunDetail
  readonly states: AppliedStates | undefined
}) {
  if (canaryFailed === undefined) {
    return note ? <p>{note}</p> : null
  }
  const isStopped = state === 'stopped'
  if (canaryFailed.length === 0) {
    // The note of the run is older than what became of its events since.
    return isStopped ? <p>Its canary failed.</p> : null
  }
  return (
    <p>
      {isStopped ? 'Its canary failed: ' : 'It was stopped when its canary failed: '}
      <EventLinks ids={canaryFailed} />
      {isStopped && states && <More id={id} named={canaryFailed.length} states={states} />}
      {canaryError && `. The first error: ${canaryError}`}
      {!isStopped && states && `. ${againWords(states)}`}
    </p>
  )
}

/** What makes those run again that are not done. */
export const againWords = ({ dead, failed, changedSince }: AppliedStates): string =>
  [
    dead > changedSince && 'Those that are dead need another replay.',
    failed > changedSince && 'Those that failed are retried by themselves; Retry now runs them at once.',
  ]
    .filter(Boolean)
    .join(' ')

/** The events that are not named. A run that its canary stopped has changed no others. */
function More({
  id,
  named,
  states: { failed, dead },
}: {
  readonly id: string
  readonly named: number
  readonly states: AppliedStates
}) {
  const more = failed + dead - named
  return more > 0 ? (
    <>
      {' and '}
      <a href={hrefOf('operations', id, [['now', dead >= failed ? 'dead' : 'failed']])}>
        {digits(more)} more
      </a>
    </>
  ) : null
}

/** The events that the rest of a run waits for, and why they do not run. */
export function CanaryWaits({ wait: { count, events } }: { readonly wait: CanaryWait }) {
  // One pause holds all of them.
  const shown = events.every(({ reason }) => reason === 'paused') ? events.slice(0, 1) : events
  const left = count - shown.length
  return (
    <>
      <p>It waits for {counted(count)} of its canary:</p>
      <ul class="stack tight">
        {shown.map(({ eventId, ...explanation }) => (
          <li key={eventId}>
            <WhyWords explanation={explanation} of={eventId} />
          </li>
        ))}
      </ul>
      {left > 0 && <p>and {digits(left)} more.</p>}
    </>
  )
}
