import type { GlyphName } from 'webhook-inbox-ui'
import type { CappedCount, EventDetail, EventRow, EventState } from '../../src/wire.js'
import { digits } from './digits.js'

/** The worst first. */
export const states: readonly EventState[] = ['dead', 'failed', 'accepted', 'done']

export const stateWords: Readonly<Record<EventState, readonly [glyph: GlyphName, word: string]>> = {
  dead: ['dead', 'Dead'],
  failed: ['failed', 'Failed'],
  accepted: ['accepted', 'Accepted'],
  done: ['processed', 'Done'],
}

/** Of an accepted or failed event that a process has claimed, by the reason that the receiver gives. */
export const claimedWords: Readonly<Record<string, (typeof stateWords)['done']>> = {
  running: ['in_progress', 'Running'],
  stalled: ['pending', 'Stalled'],
}

/** Where an event stands, as one sentence. */
export function sentenceOf(event: EventDetail): string {
  switch (event.state) {
    case 'done':
      return event.generation > 0 ? 'It was done, after a replay.' : 'It was done.'
    case 'accepted':
      return 'It is accepted, and not done yet.'
    case 'failed':
      return `It failed ${failedTimes(event)}, and is retried.`
    case 'dead':
      return `It ${event.givenUp ? 'was given up' : `failed ${failedTimes(event)}`}, and does not run again until somebody replays it.`
  }
}

/** A replay begins to count again. */
export const failedTimes = ({ failures, generation }: Pick<EventRow, 'failures' | 'generation'>) =>
  generation > 0 ? `${times(failures)} since its last replay` : times(failures)

export const times = (count: number) => (count === 1 ? 'once' : `${digits(count)} times`)

/** `1 event`, `1,284 events`, and `10,000+ events` where the count stopped. */
export const counted = (count: number, isCapped = false) =>
  `${cappedWords({ count, isCapped })} ${count === 1 && !isCapped ? 'event' : 'events'}`

/** As {@link counted}. */
export const deliveriesOf = (count: number, isCapped = false) =>
  `${cappedWords({ count, isCapped })} ${count === 1 && !isCapped ? 'delivery' : 'deliveries'}`

/** `10,000+` where the count stopped. */
export const cappedWords = ({ count, isCapped }: CappedCount): string =>
  `${digits(count)}${isCapped ? '+' : ''}`
