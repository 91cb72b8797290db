import { StoreError } from '../../errors.js'

/** Wraps an error of D1. The message says what failed, the likely cause and the fix. */
export function d1Fault(doing: string, cause: unknown): StoreError {
  const said = cause instanceof Error ? cause.message : String(cause)
  return new StoreError(`D1 could not ${doing} (${said}); ${adviceOf(said)}`, { cause })
}

function adviceOf(message: string): string {
  const known = faults.find(([pattern]) => pattern.test(message))
  return known?.[1] ?? 'likely cause: it is unreachable for a moment; fix: none here, the sender retries'
}

const faults: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/no such table/, 'likely cause: the table is missing; fix: run the SQL of d1Migration'],
  [
    /overloaded|too many requests/i,
    'likely cause: too many queries wait; fix: none here, the sender retries',
  ],
  [/storage limit|full/i, 'likely cause: the database is full; fix: call receiver.prune() more often'],
]
