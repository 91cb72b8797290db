import { duration, Glyph, type GlyphName, now, relativeTime, Time } from 'webhook-inbox-ui'
import type { Attempt, FullDelivery } from '../api/records.js'
import { endOf, verdictOfAttempt, verdictWords } from '../state/verdict.js'
import { answerOf, causeOf } from '../state/words.js'

interface Station {
  readonly outcome: GlyphName
  readonly word: string
  readonly fact: string
  /** Its parts, because a text alone shows a no-break space as an escape. */
  readonly detail: readonly string[]
  readonly at: string
}

/** What happened to a delivery, from its creation to its end or to its next attempt. */
export function Life({ delivery }: { readonly delivery: FullDelivery }) {
  const stations = stationsOf(delivery)
  return (
    <ol class="life" aria-label="Its life">
      {stations.map((station, at) => (
        <li key={at} data-outcome={station.outcome} data-pause={pauseBefore(stations[at + 1], station)}>
          <Glyph name={station.outcome} />
          <p>
            <b>{station.word}</b> {station.fact}
          </p>
          <p class="faint">{station.detail}</p>
          <p class="faint">
            <Time at={station.at} isExact />
          </p>
        </li>
      ))}
    </ol>
  )
}

function stationsOf(delivery: FullDelivery): Station[] {
  const { createdAt, tries, nextTryAt, attempts, state } = delivery
  const causes = {
    event: 'by the event',
    duplicate: 'as a second copy',
    replay: 'as a replay',
    edited: 'edited by you',
  }
  const created: Station = {
    outcome: 'created',
    word: 'Created',
    fact: '',
    detail: [causes[causeOf(delivery)]],
    at: createdAt,
  }
  const next: Station | undefined =
    state === 'pending' && nextTryAt
      ? {
          outcome: 'pending',
          word: attempts > 0 ? 'Next attempt' : 'First attempt',
          fact: relativeTime(Date.parse(nextTryAt), now.value),
          detail: [`attempt ${attempts + 1}`],
          at: nextTryAt,
        }
      : undefined
  return [created, ...tries.map(stationOfAttempt), ...(next ? [next] : [])]
}

function stationOfAttempt(attempt: Attempt): Station {
  const end = endOf(attempt)
  const verdict = verdictOfAttempt(end)
  return {
    outcome: verdict,
    word: verdictWords[verdict],
    fact: end.failure === null ? answerOf(end) : '',
    detail: [
      `attempt ${attempt.number}, `,
      `${Math.round(end.milliseconds)}\u00a0ms`,
      attempt.faults.length > 0 ? ', chaos' : '',
    ],
    at: attempt.startedAt,
  }
}

/** Only a pause that a person would notice. */
function pauseBefore(next: Station | undefined, station: Station): string | undefined {
  const pause = next ? Date.parse(next.at) - Date.parse(station.at) : 0
  return pause >= 100 ? duration(pause) : undefined
}
