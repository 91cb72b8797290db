import type { Statistics, VersionStart } from '../../../src/wire.js'

export interface Mark {
  readonly version: string
  readonly at: number
  /** Where it stands in the window, from 0 to 1. */
  readonly part: number
}

/** The versions that started within the window. */
export function marksOf(starts: readonly VersionStart[], { since, at }: Statistics): Mark[] {
  const from = Date.parse(since)
  const span = Date.parse(at) - from
  return starts
    .map(({ version, startedAt }) => ({ version, at: Date.parse(startedAt) }))
    .filter((start) => start.at > from)
    .map((start) => ({ ...start, part: Math.min(1, (start.at - from) / span) }))
}
