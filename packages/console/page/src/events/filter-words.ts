import { localTime } from '../local-time.js'
import { stateWords } from '../state-words.js'

/** Describes the conditions to a person who looks for a saved view: `Failed, payout.created`. */
export const filterWords = (filter: readonly (readonly [string, string])[]): string =>
  filter.map(([name, value]) => wordsOf(name, value)).join(', ') || 'All events'

function wordsOf(name: string, value: string): string {
  switch (name) {
    case 'state':
      return stateWords[value as keyof typeof stateWords]?.[1] ?? value
    case 'type':
      return value
    case 'group':
      return 'one cause'
    case 'since':
    case 'until':
      return `${name} ${localTime(value).replace('T', ' ') || value}`
    default:
      return `${name} ${value}`
  }
}
