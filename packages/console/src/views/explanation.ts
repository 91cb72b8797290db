import type { Pause, Explanation as Reason, Receiver } from 'webhook-inbox'
import { ifSupported } from '../if-supported.js'
import type { Explanation } from '../wire.js'

/** The facts that a page can link. */
const shown = ['reason', 'sentence', 'earlier', 'until', 'retryAt', 'resource', 'type']

/**
 * Why an event does not run. Without `isNamed` it leaves out who paused it and why. `undefined` if the store cannot say it, for
 * example a store without pauses and workers.
 */
export async function explanationOf(
  receiver: Pick<Receiver, 'explain'>,
  id: string,
  isNamed: boolean,
): Promise<Explanation | undefined> {
  const found = await ifSupported(() => receiver.explain(id))
  if (!found) {
    return undefined
  }
  if (found.reason === 'dead' && found.until) {
    const { reason, until } = found
    return {
      reason,
      sentence: `A handler that timed out still holds it. It can be changed at ${until}.`,
      until,
      times: [until],
    }
  }
  const first = isNamed ? found.sentence : unnamedSentence(id, found)
  const sentence = found.lostSentence === undefined ? first : `${first} ${found.lostSentence}`
  const explanation = { ...found, sentence }
  const facts = Object.entries(explanation).filter(([name, value]) => shown.includes(name) && value)
  return { ...(Object.fromEntries(facts) as unknown as Explanation), times: timesOf(explanation) }
}

/** The sentence without persons and their reasons. */
export function unnamedSentence(id: string, found: Reason): string {
  if (found.reason === 'discarded') {
    return `Event ${id} was discarded at ${found.discardedAt}.`
  }
  if (found.reason !== 'paused') {
    return found.sentence
  }
  const { endpoint, type, resource, pausedAt } = found.pause
  const what = type ? `type ${type}` : resource ? `resource ${resource}` : `endpoint ${endpoint}`
  return `Event ${id} waits because the ${what} was paused at ${pausedAt}.`
}

/** The times of the facts, which the sentence contains in this form. */
const timesOf = (facts: object): string[] =>
  Object.entries(facts).flatMap(([name, value]) =>
    name === 'pause' ? [(value as Pause).pausedAt] : /(?:At|until|since)$/i.test(name) ? [String(value)] : [],
  )
