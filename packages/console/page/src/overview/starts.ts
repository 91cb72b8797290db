import type { Statistics, VersionStart } from '../../../src/wire.js'

export interface Mark {
  readonly version: string
  readonly at: number
  /** Where it stands in the window, from 0 to 1. */
  readonly part: number
  /** From 1, the oldest first. */
  readonly number: number
}

/** Nearer lines would be one thick line. */
const leastBetweenLines = 0.01
/** A number such as `10–12` takes this part of the width of a phone. */
const leastBetweenNumbers = 0.12

/** The versions that started within the window, the oldest first. */
export function marksOf(
  starts: readonly VersionStart[],
  { since, bucketSeconds, buckets }: Statistics,
): Mark[] {
  const from = Date.parse(since)
  const span = buckets.length * bucketSeconds * 1000
  return starts
    .map(({ version, startedAt }) => ({ version, at: Date.parse(startedAt) }))
    .filter((start) => start.at > from)
    .toSorted((a, b) => a.at - b.at)
    .map((start, index) => ({ ...start, part: Math.min(1, (start.at - from) / span), number: index + 1 }))
}

/** Where to draw lines for the marks, from 0 to 1. */
export const linesOf = (marks: readonly Mark[]): number[] => grouped(marks, leastBetweenLines).map(partOf)

/** The numbers below the plot. Marks near each other share one: `2–4`. */
export const numbersOf = (marks: readonly Mark[]): { readonly part: number; readonly words: string }[] =>
  grouped(marks, leastBetweenNumbers).map((group) => {
    const [first, last] = [group[0]?.number, group.at(-1)?.number]
    return { part: partOf(group), words: first === last ? `${first}` : `${first}–${last}` }
  })

const partOf = (group: readonly Mark[]): number => group[0]?.part ?? 0

/** Marks less than `least` behind the first of their group belong to it. */
function grouped(marks: readonly Mark[], least: number): Mark[][] {
  const groups: Mark[][] = []
  for (const mark of marks) {
    const last = groups.at(-1)
    if (last && mark.part - partOf(last) < least) {
      last.push(mark)
    } else {
      groups.push([mark])
    }
  }
  return groups
}
