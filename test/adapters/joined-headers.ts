import type { Deviation } from './suite.js'

/** A WHATWG `Headers` joins repeated headers, so a repeat is found only when the joined list is malformed. */
export const joinedHeaders: Deviation = {
  reason:
    'Headers joins repeated ones with a comma, and t=…,v1=good, v1=other is a good header (two timestamps are rejected: fetch.test.ts)',
  tests: ['a repeated signature header is rejected, even if both are valid'],
}
