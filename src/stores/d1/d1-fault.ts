import { StoreError, type StoreReason } from '../../errors.js'

/** Wraps an error of D1. The message says what failed, the likely cause and the fix. */
export function d1Fault(doing: string, cause: unknown): StoreError {
  const said = cause instanceof Error ? cause.message : String(cause)
  const known = faults.find(([pattern]) => pattern.test(said))
  const [, advice = `likely cause: it is unreachable for a moment; ${repeated}`, reason] = known ?? []
  return new StoreError(`D1 could not ${doing} (${said}); ${advice}`, { cause, reason })
}

const repeated = 'fix: none here, the sender delivers again; repeat other calls, such as start()'

const faults: readonly (readonly [pattern: RegExp, advice: string, reason: StoreReason])[] = [
  [/no such table/, 'likely cause: the table is missing; fix: run the SQL of d1Migration', 'not_migrated'],
  [/overloaded|too many requests/i, `likely cause: too many queries wait; ${repeated}`, 'busy'],
  [
    /storage limit|full/i,
    'likely cause: the database is full; fix: call receiver.prune() more often',
    'full',
  ],
]
