import type { AppliedStates, CanaryWait, RunDetail } from '../../../src/wire.js'
import { WhyWords } from '../event/why.js'
import { hrefOf } from '../route.js'
import { counted } from '../state-words.js'
import { EventLink } from './paged.js'

/** Why it stopped. The ids of its canary are links. */
export function NoteWords({
  run,
  note,
  states,
}: {
  readonly run: RunDetail
  readonly note: string
  readonly states: AppliedStates | undefined
}) {
  const [, words = note, ids, rest] = /^(.*canary.*?: )(.+?)(\. .*)?$/.exec(note) ?? []
  const named = ids?.split(', ') ?? []
  return (
    <>
      {' '}
      {words}
      {named.map((id, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <EventLink id={id} />
        </span>
      ))}
      {run.state === 'stopped' && states && <More run={run} named={named.length} states={states} />}
      {rest}
    </>
  )
}

/** The run stops at the first failure that it sees. Other events of its canary may fail after that. */
function More({
  run: { id },
  named,
  states: { failed, dead },
}: {
  readonly run: RunDetail
  readonly named: number
  readonly states: AppliedStates
}) {
  const more = failed + dead - named
  return more > 0 ? (
    <>
      {' and '}
      <a href={hrefOf('operations', id, [['now', dead >= failed ? 'dead' : 'failed']])}>
        {more.toLocaleString('en')} more
      </a>
    </>
  ) : null
}

/** The events that the rest of a run waits for, and why they do not run. */
export function CanaryWaits({ wait: { count, events } }: { readonly wait: CanaryWait }) {
  const left = count - events.length
  return (
    <>
      <p>It waits for {counted(count)} of its canary:</p>
      <ul class="stack tight">
        {events.map(({ eventId, ...explanation }) => (
          <li key={eventId}>
            <WhyWords explanation={explanation} of={eventId} />
          </li>
        ))}
      </ul>
      {left > 0 && <p>and {left.toLocaleString('en')} more.</p>}
    </>
  )
}
