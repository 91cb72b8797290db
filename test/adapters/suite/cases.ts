import { afterAll, test } from 'vitest'

/** Tests that an environment cannot pass, by name, with the reason. */
export interface Deviation {
  readonly reason: string
  readonly tests: readonly string[]
}

export type Case = (name: string, run: () => Promise<void> | void, timeoutMs?: number) => void

/**
 * Returns a `test` that skips the named deviations and prints their reasons. A deviation that names no test is an error,
 * so that no deviation outlives its test.
 */
export function caseWith(deviations: readonly Deviation[] = []): Case {
  const reasons = new Map(deviations.flatMap(({ reason, tests }) => tests.map((name) => [name, reason])))
  const unused = new Set(reasons.keys())

  afterAll(() => {
    if (unused.size > 0) {
      throw new Error(`no such test to skip: ${[...unused].join('; ')}`)
    }
  })

  return (name, run, timeoutMs) => {
    const reason = reasons.get(name)
    unused.delete(name)
    if (reason === undefined) {
      test(name, run, timeoutMs)
    } else {
      test(name, ({ skip }) => skip(reason))
    }
  }
}
