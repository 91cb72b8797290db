import type { AppliedRow, AppliedStates, RunView } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { hrefOf, route } from '../route.js'

type State = AppliedRow['state']

/** The best first. */
export const becameWords: Readonly<Record<State, string>> = {
  done: 'done',
  accepted: 'waiting',
  failed: 'failed again',
  dead: 'dead again',
  givenUp: 'given up before',
  gone: 'done and pruned',
}

const states = Object.keys(becameWords) as State[]

/** Which of the changed events the address asks for. */
export const becameOf = (query: URLSearchParams): State | undefined =>
  states.find((state) => state === query.get('now'))

/** `6 done, 2 waiting`: what became of the events that an operation changed, with a link to each kind. */
export function Became({
  run: { id, applied, lookedAt: total = 0 },
  states: value,
}: {
  readonly run: RunView
  readonly states: AppliedStates
}) {
  const seen = states.filter((state) => value[state] > 0)
  const chosen = becameOf(route.value.query)
  return (
    <>
      {total < applied && `of the first ${digits(total)}: `}
      {seen.map((state, i) => (
        <span key={state}>
          {i > 0 && ', '}
          <a
            href={hrefOf('operations', id, [['now', state]])}
            aria-current={state === chosen ? 'true' : undefined}
          >
            {digits(value[state])} {becameWords[state]}
          </a>
        </span>
      ))}
    </>
  )
}
