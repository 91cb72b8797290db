import { now } from 'webhook-inbox-ui'
import type { Delivery, LastAttempt } from '../api/records.js'
import { isBad, isGood, type Verdict, verdictOfAttempt, verdicts } from './verdict.js'

interface Mark {
  readonly at: number
  readonly verdict: Verdict
  readonly milliseconds: number
  readonly isChaos: boolean
}

/** The plots show this many steps, each this many milliseconds long. */
export const steps = 60
export const stepMilliseconds = 10_000
const mostMarks = 20_000

/** Attempts that have ended. */
const marks = new Map<string, Mark>()

export function noteEnd(deliveryId: string, last: LastAttempt): void {
  const { number, milliseconds, faults } = last
  const at = Date.parse(last.startedAt)
  const isChaos = faults.length > 0
  marks.set(`${deliveryId}:${number}`, { at, verdict: verdictOfAttempt(last), milliseconds, isChaos })
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
  /** Whether chaos changed any of it. */
  readonly isChaos: boolean
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
      isChaos: inStep.some(({ isChaos }) => isChaos),
      p50: times[Math.floor(times.length * 0.5)],
      p95: times[Math.min(times.length - 1, Math.floor(times.length * 0.95))],
      outstanding: retried.filter(
        ({ createdAt, endedAt }) =>
          Date.parse(createdAt) <= stepEnd && (!endedAt || Date.parse(endedAt) > stepEnd),
      ).length,
    }
  })
}
