import { StoreError } from '../../errors.js'

/** Wraps an error of D1. The message says what failed, the likely cause and the fix. */
export function d1Fault(doing: string, cause: unknown): StoreError {
  const said = cause instanceof Error ? cause.message : String(cause)
  return new StoreError(`D1 could not ${doing} (${said}); ${adviceOf(said)}`, { cause })
}

function adviceOf(message: string): string {
  const known = faults.find(([pattern]) => pattern.test(message))
  return known?.[1] ?? `likely cause: it is unreachable for a moment; ${repeated}`
}

const repeated = 'fix: none here, the sender delivers again; repeat other calls, such as start()'

const faults: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/no such table/, 'likely cause: the table is missing; fix: run the SQL of d1Migration'],
  [/overloaded|too many requests/i, `likely cause: too many queries wait; ${repeated}`],
  [/storage limit|full/i, 'likely cause: the database is full; fix: call receiver.prune() more often'],
]
