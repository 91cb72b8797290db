import type { Deviation } from './suite.js'

/** A WHATWG `Headers` tells a repeated header from a list only where the two make no good list together. */
export const joinedHeaders: Deviation = {
  reason:
    'Headers joins repeated ones with a comma, and t=…,v1=good, v1=other is a good header (two timestamps are refused: fetch.test.ts)',
  tests: ['a repeated signature header is refused, even with two good ones'],
}
