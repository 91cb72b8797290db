import { clockTime, now, Time } from 'webhook-inbox-ui'
import { isLost } from '../api/stream.js'
import { deliveries } from '../state/deliveries.js'
import { type Step, series, stepMilliseconds, steps } from '../state/series.js'
import { isBad, isGood, verdicts } from '../state/verdict.js'

const minutes = (steps * stepMilliseconds) / 60_000

/** Verdicts, answer times and open retries of the last minutes, over one time axis. */
export function Plots() {
  const data = series(deliveries.value)
  const since = new Date(now.value - steps * stepMilliseconds).toISOString()
  return (
    <details class="plots" open={!matchMedia('(max-width: 40rem)').matches}>
      <summary class="faint">Last {minutes} minutes</summary>
      <VerdictLane data={data} />
      <TimeLane data={data} />
      <RetryLane data={data} />
      <p class="faint lane-words">
        <Time at={since} />
        <span>{present()}</span>
      </p>
    </details>
  )
}

/** The right end of the axis. While the sandbox is lost, the plots stand still. */
const present = () => (isLost() ? `at ${clockTime(now.value)}` : 'now')

interface LaneProps {
  readonly data: readonly Step[]
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const greatest = (values: readonly (number | undefined)[]) =>
  Math.max(1, ...values.map((value) => value ?? 0))

/** Good answers go up, bad ones down. */
function VerdictLane({ data }: LaneProps) {
  const up = greatest(data.map(({ good }) => good))
  const down = greatest(data.map(({ bad }) => bad))
  const isAnyBad = data.some(({ bad }) => bad > 0)
  const isAnyChaos = data.some(({ isChaos }) => isChaos)
  const scale = isAnyBad ? up + down : up
  const good = sum(data.map((step) => step.good))
  const bad = sum(data.map((step) => step.bad))
  return (
    <figure class="lane">
      <figcaption class="lane-words faint">
        <span>
          Responses each {stepMilliseconds / 1000} s: good up, bad down{isAnyChaos && ', chaos shaded'}
        </span>
        <span>
          {good} good, {bad} bad
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${steps} ${scale}`}
        preserveAspectRatio="none"
        height="44"
        width="100%"
        aria-hidden="true"
      >
        {data.map(
          ({ isChaos }, at) => isChaos && <rect key={at} class="chaos" x={at} width="1" height={scale} />,
        )}
        <line class="axis" x1="0" x2={steps} y1={up} y2={up} />
        {data.map((step, at) => bars(step, at, up))}
      </svg>
    </figure>
  )
}

function bars(step: Step, at: number, axis: number) {
  let top = axis
  let bottom = axis
  return verdicts.map((verdict) => {
    const count = step.of.get(verdict) ?? 0
    if (count === 0 || !(isGood(verdict) || isBad(verdict))) {
      return null
    }
    if (isGood(verdict)) {
      top -= count
    } else {
      bottom += count
    }
    const y = isGood(verdict) ? top : bottom - count
    return (
      <rect
        key={verdict}
        class="bar-of"
        data-outcome={verdict}
        x={at + 0.1}
        y={y}
        width="0.8"
        height={count}
      />
    )
  })
}

function TimeLane({ data }: LaneProps) {
  const most = greatest(data.map(({ p95 }) => p95))
  const last = data.findLast(({ p50 }) => p50 !== undefined)
  // Each step is a short line: one step alone is seen too.
  const path = (read: (step: Step) => number | undefined) =>
    data
      .flatMap((step, at) => {
        const y = most - (read(step) ?? Number.NaN)
        return Number.isNaN(y) ? [] : [`${at + 0.1},${y}`, `${at + 0.9},${y}`]
      })
      .join(' ')
  const words = last
    ? `latest p50 ${Math.round(last.p50 ?? 0)} ms, p95 ${Math.round(last.p95 ?? 0)} ms`
    : 'no response yet'
  return (
    <figure class="lane">
      <figcaption class="lane-words faint">
        <span>Response time: p50 line, p95 dashed</span>
        <span>{words}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${steps} ${most}`}
        preserveAspectRatio="none"
        height="24"
        width="100%"
        aria-hidden="true"
      >
        <polyline class="trace" points={path(({ p50 }) => p50)} />
        <polyline class="trace dashed" points={path(({ p95 }) => p95)} />
      </svg>
    </figure>
  )
}

function RetryLane({ data }: LaneProps) {
  const most = greatest(data.map(({ outstanding }) => outstanding))
  const points = data.flatMap(({ outstanding }, at) => [
    `${at},${most - outstanding}`,
    `${at + 1},${most - outstanding}`,
  ])
  return (
    <figure class="lane">
      <figcaption class="lane-words faint">
        <span>Retries outstanding</span>
        <span>
          {data.at(-1)?.outstanding ?? 0} {present()},{' '}
          {Math.max(...data.map(({ outstanding }) => outstanding))} at most
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${steps} ${most}`}
        preserveAspectRatio="none"
        height="16"
        width="100%"
        aria-hidden="true"
      >
        <line class="axis" x1="0" x2={steps} y1={most} y2={most} />
        {data.some(({ outstanding }) => outstanding > 0) && (
          <polygon class="area" points={`0,${most} ${points.join(' ')} ${steps},${most}`} />
        )}
      </svg>
    </figure>
  )
}
