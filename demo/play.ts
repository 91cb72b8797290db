import type { Books } from './books.js'
import type { Entry, Journal } from './journal.js'
import type { Expected, Step } from './scenario.js'
import type { Screen } from './screen.js'

/** Time limit for the events of a step, in seconds. After it the demo prints the missing ones. */
const patienceSeconds = 15

/** Runs a step and shows its results. Resolves to false if they are not the expected ones. */
export async function play(step: Step, show: Screen, journal: Journal, books: Books, signal: AbortSignal) {
  const { answer, id, owns } = await step.start()
  show.row({
    what: step.what,
    outcome: answer ?? '',
    eventId: id,
    why: answer ? 'POST /v1/transfers' : '',
    isCause: true,
  })
  const missing = step.expects.map((expected) => ({ expected, left: expected.count ?? 1 }))
  const arrived: Entry[] = []
  let isAsExpected = true
  while (missing.some(({ left }) => left > 0)) {
    const entry = await journal.take(owns, patienceSeconds, signal)
    if (signal.aborted) {
      return true
    }
    if (!entry) {
      break
    }
    arrived.push(entry)
    if (entry.kind === 'delivery') {
      books.count(entry.outcome, entry.eventId)
    }
    const found = missing.find(({ expected, left }) => left > 0 && expected.entry === nameOf(entry))
    if (!found) {
      isAsExpected = false
      show.row({ ...columnsOf(entry), why: '', expected: namesOf(missing) })
    } else if (--found.left === 0) {
      show.row({ ...columnsOf(entry, found.expected.count), why: found.expected.why })
    }
  }
  if (missing.some(({ left }) => left > 0)) {
    show.bad(`did not come: ${namesOf(missing)}`)
    return false
  }
  if (step.holds?.(arrived) !== false) {
    return isAsExpected
  }
  show.bad(`${step.what}: the order or the books are not as they should be`)
  return false
}

const nameOf = ({ kind, type, verdict }: Entry) => `${kind} ${type} ${verdict}`

const namesOf = (missing: { expected: Expected; left: number }[]) =>
  missing
    .filter(({ left }) => left > 0)
    .map(({ expected, left }) => `${left} x ${expected.entry}`)
    .join(', ')

/** Describes an entry without its reason. */
export function columnsOf({ kind, type, eventId, outcome, status }: Entry, count = 1) {
  const times = count > 1 ? `${count} x ` : ''
  return {
    what: kind === 'run' ? `    ↳ ${times}handler` : `  → ${times}${type}`,
    status,
    outcome,
    eventId: count > 1 ? undefined : eventId,
  }
}
