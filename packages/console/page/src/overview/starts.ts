import type { Statistics } from '../../../src/wire.js'

/** When a process started, and with which version. */
export interface Start {
  readonly startedAt: string
  readonly version: string
}

export interface Mark {
  readonly version: string
  readonly at: number
  /** Where it stands in the window, from 0 to 1. */
  readonly part: number
}

/** The first start of each version within the window. */
export function marksOf(starts: readonly Start[], { since, at }: Statistics): Mark[] {
  const from = Date.parse(since)
  const span = Date.parse(at) - from
  const first = new Map<string, number>()
  for (const { version, startedAt } of starts) {
    const time = Date.parse(startedAt)
    first.set(version, Math.min(time, first.get(version) ?? time))
  }
  return [...first]
    .filter(([, time]) => time > from)
    .map(([version, time]) => ({ version, at: time, part: Math.min(1, (time - from) / span) }))
}
