import { computed } from 'webhook-inbox-ui/signals'
import type { Delivery } from '../api/records.js'
import { route } from '../route.js'
import { deliveries } from './deliveries.js'
import { type Verdict, verdictOf, verdicts, verdictWords } from './verdict.js'
import { causeOf } from './words.js'

type Test = (delivery: Delivery) => boolean

/** What each `field:value` of the search compares. A `*` stands for any characters. */
const fields: Readonly<Record<string, (delivery: Delivery) => readonly string[]>> = {
  type: ({ eventType }) => [eventType],
  to: ({ url, subscriptionId }) => [url, subscriptionId],
  id: ({ id, eventId }) => [id, eventId],
  cause: (delivery) => [delivery.cause, causeOf(delivery)],
  code: ({ last }) => [last?.code ?? ''],
  status: ({ last }) => [String(last?.status ?? last?.failure ?? '')],
}

export const fieldNames = ['verdict', ...Object.keys(fields)]

const everything = (delivery: Delivery) => [
  ...Object.values(fields).flatMap((read) => read(delivery)),
  verdictWords[verdictOf(delivery)],
]

interface Parsed {
  readonly verdict: Verdict | undefined
  readonly tests: readonly Test[]
}

/** Reads `verdict:failed type:transfer.* text`. An unknown field is text. */
function parse(query: string): Parsed {
  let verdict: Verdict | undefined
  const tests: Test[] = []
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const [, name = '', value = ''] = /^([a-z]+):(.*)$/.exec(word) ?? []
    const read = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (name === 'verdict') {
      verdict = verdicts.find((each) => each === value.replaceAll('-', '_'))
    } else if (read) {
      tests.push(matching(value, read))
    } else {
      tests.push(matching(word, everything))
    }
  }
  return { verdict, tests }
}

function matching(value: string, read: (delivery: Delivery) => readonly string[]): Test {
  const pieces = value.split('*')
  return (delivery) => read(delivery).some((text) => has(text.toLowerCase(), pieces))
}

/** True where the pieces follow one another in the text. */
function has(text: string, pieces: readonly string[]): boolean {
  let from = 0
  for (const piece of pieces) {
    const at = text.indexOf(piece, from)
    if (at < 0) {
      return false
    }
    from = at + piece.length
  }
  return true
}

const parsed = computed(() => parse(route.value.query))

export const chosenVerdict = computed(() => parsed.value.verdict)

/** What matches, whatever its verdict. */
const matched = computed(() => {
  const { tests } = parsed.value
  return tests.length === 0
    ? deliveries.value
    : deliveries.value.filter((delivery) => tests.every((test) => test(delivery)))
})

/** What the list shows. */
export const shown = computed(() => {
  const { verdict } = parsed.value
  return verdict ? matched.value.filter((delivery) => verdictOf(delivery) === verdict) : matched.value
})

/** How many have each verdict, of those that match otherwise. */
export const counts = computed(() => {
  const counted = new Map<Verdict, number>()
  for (const delivery of matched.value) {
    const verdict = verdictOf(delivery)
    counted.set(verdict, (counted.get(verdict) ?? 0) + 1)
  }
  return { all: matched.value.length, of: counted }
})

/** The search with another verdict, or none. */
export function withVerdict(verdict: Verdict | undefined): string {
  const others = route.value.query.split(/\s+/).filter((word) => word && !word.startsWith('verdict:'))
  return [...(verdict ? [`verdict:${verdict}`] : []), ...others].join(' ')
}
