import { now } from 'webhook-inbox-ui'
import type { Delivery } from '../api/records.js'
import { isBad, isGood, type Verdict, verdictOfAttempt, verdicts } from './verdict.js'

interface Mark {
  readonly at: number
  readonly verdict: Verdict
  readonly milliseconds: number
}

/** The plots show this many steps, each this many milliseconds long. */
export const steps = 60
export const stepMilliseconds = 10_000
const mostMarks = 20_000

/** Attempts that have ended: each one that the page saw, and the newest of each delivery that it read. */
const marks = new Map<string, Mark>()

export function noteEnd({ id, last }: Delivery): void {
  if (!last) {
    return
  }
  const at = Date.parse(last.startedAt)
  marks.set(`${id}:${last.number}`, { at, verdict: verdictOfAttempt(last), milliseconds: last.milliseconds })
  if (marks.size > mostMarks) {
    marks.delete(marks.keys().next().value as string)
  }
}

export const forgetEnds = () => marks.clear()

export interface Step {
  readonly good: number
  readonly bad: number
  readonly of: ReadonlyMap<Verdict, number>
  /** Milliseconds; undefined where no response came. */
  readonly p50: number | undefined
  readonly p95: number | undefined
  /** Deliveries that had failed and were not yet ended. */
  readonly outstanding: number
}

/** The last minutes, the oldest step first. */
export function series(deliveries: readonly Delivery[]): Step[] {
  const end = Math.ceil(now.value / stepMilliseconds) * stepMilliseconds
  const start = end - steps * stepMilliseconds
  const ofStep = Array.from({ length: steps }, (): Mark[] => [])
  for (const mark of marks.values()) {
    ofStep[Math.floor((mark.at - start) / stepMilliseconds)]?.push(mark)
  }
  const retried = deliveries.filter(({ attempts, endedAt }) => attempts > (endedAt ? 1 : 0))
  return ofStep.map((inStep, at) => {
    const stepEnd = Math.min(now.value, start + (at + 1) * stepMilliseconds)
    const times = inStep.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
    const of = new Map(
      verdicts.map((verdict) => [verdict, inStep.filter((mark) => mark.verdict === verdict).length]),
    )
    const total = (matches: (verdict: Verdict) => boolean) =>
      inStep.filter(({ verdict }) => matches(verdict)).length
    return {
      good: total(isGood),
      bad: total(isBad),
      of,
      p50: times[Math.floor(times.length * 0.5)],
      p95: times[Math.min(times.length - 1, Math.floor(times.length * 0.95))],
      outstanding: retried.filter(
        ({ createdAt, endedAt }) =>
          Date.parse(createdAt) <= stepEnd && (!endedAt || Date.parse(endedAt) > stepEnd),
      ).length,
    }
  })
}
