import type { Report } from '../checker.js'

/** A fault that a chapter of the documentation describes. `npm run chaos:faults -- NAME` runs it. */
export interface Fault {
  readonly name: string
  /** Whether events or effects may be lost or repeated, as the documentation says. */
  readonly isKept: boolean
  run(seed: number): Promise<Seen | Skipped>
}

/** What a run has shown. */
export interface Seen {
  readonly report: Report
  /** What else was counted, by name. */
  readonly counts?: Readonly<Record<string, number>>
}

export interface Skipped {
  readonly skipped: string
}
