import { Ago, duration, Outcome, Time } from 'webhook-inbox-ui'
import type { AttemptRow, EventDetail } from '../../../src/wire.js'
import { can } from '../me.js'
import { hrefOf } from '../route.js'
import { Section } from '../section.js'

/** Every attempt, oldest first, with its error and the pause after it. */
export function Attempts({ event }: { readonly event: EventDetail }) {
  const { attempts = [], doneAt, attempt, generation } = event
  if (attempts.length === 0) {
    return null
  }
  return (
    <Section title="Its attempts">
      <ol class="attempts" aria-label="Its attempts">
        {attempts.map((each, at) => (
          <Attempt key={at} attempt={each} before={attempts[at - 1]} event={event} />
        ))}
        {doneAt !== undefined && (
          <li>
            <Label outcome="processed" of={{ attempt, generation }} />
            <div>
              <Moment at={doneAt} />
              <div>It was done.</div>
            </div>
          </li>
        )}
      </ol>
    </Section>
  )
}

interface AttemptProps {
  readonly attempt: AttemptRow
  readonly before: AttemptRow | undefined
  readonly event: EventDetail
}

function Attempt({ attempt, before, event }: AttemptProps) {
  const { at, retryAt, error, lost, isDone } = attempt
  if (lost !== undefined) {
    return (
      <li>
        <Label outcome="pending" of={attempt} />
        <div class="faint">
          {lost === 1 ? 'It' : 'Each of them'} left nothing: its process ended or lost its claim, or is of an
          earlier version.
        </div>
      </li>
    )
  }
  const isOfAnother = attempt.group !== undefined && attempt.group !== event.group
  return (
    <li>
      <Label outcome={isDone ? 'processed' : 'failed'} of={attempt} before={before} />
      <div>
        {at !== undefined && <Moment at={at} />}
        {at !== undefined && retryAt !== undefined && (
          <span class="faint">, retry planned {duration(Date.parse(retryAt) - Date.parse(at))} later</span>
        )}
        {isDone ? (
          <div>It was done.</div>
        ) : error !== undefined && error === before?.error ? (
          <div class="faint">The same error.</div>
        ) : error !== undefined && error === event.lastError ? (
          <div class="faint">The error above.</div>
        ) : (
          <div class="error mono">{error}</div>
        )}
        {isOfAnother && attempt.group !== before?.group && can('failures') && (
          <a href={hrefOf('failures', attempt.group)}>All of this cause</a>
        )}
      </div>
    </li>
  )
}

interface LabelProps {
  readonly outcome: 'failed' | 'pending' | 'processed'
  readonly of: Pick<AttemptRow, 'attempt' | 'generation' | 'lost'>
  readonly before?: AttemptRow | undefined
}

/** Its number, and the replay that it belongs to. A failure before the claim has the number of the attempt before. */
function Label({ outcome, of: { attempt, generation, lost = 1 }, before }: LabelProps) {
  const isUnclaimed = attempt === 0 || (before?.attempt === attempt && before.generation === generation)
  const numbers = lost > 1 ? `${attempt - lost + 1} to ${attempt}` : `${attempt}`
  return (
    <div>
      <Outcome outcome={outcome}>
        {isUnclaimed ? `Before attempt ${attempt + 1}` : `Attempt ${numbers}`}
      </Outcome>
      {generation > 0 && <div class="faint">after replay {generation}</div>}
    </div>
  )
}

/** The time of day, and how long ago. */
const Moment = ({ at }: { readonly at: string }) => (
  <>
    <Time at={at} isExact />{' '}
    <span class="faint">
      <Ago at={at} />
    </span>
  </>
)
