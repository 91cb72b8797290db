import { clockTime, duration } from 'webhook-inbox-ui'
import type { Statistics, StatisticsBucket, VersionStart } from '../../../src/wire.js'
import { marksOf } from './starts.js'

const height = 56

/** What arrived in each span, as bars: done upwards from the line, what is not done on top, dead below it. */
export function Arrivals({
  value,
  starts,
}: {
  readonly value: Statistics
  readonly starts: readonly VersionStart[]
}) {
  const { buckets, bucketSeconds } = value
  const marks = marksOf(starts, value)
  const most = Math.max(1, ...buckets.map(({ received }) => received))
  const total = buckets.reduce((sum, { received }) => sum + received, 0)
  const isCapped = buckets.some((bucket) => bucket.isCapped)
  const words = `${total.toLocaleString('en')}${isCapped ? '+' : ''} events arrived, at most ${most.toLocaleString('en')} in ${duration(bucketSeconds * 1000)}.`
  const first = buckets[0]
  const middle = buckets[Math.floor(buckets.length / 2)]
  return (
    <section class="card">
      <header>
        <h2>Arrived</h2>
        <p class="faint">
          {words}
          {isCapped && ' A span counts up to 1,000 of each state.'}
        </p>
        <p class="faint legend end" aria-hidden="true">
          <span class="done">done</span> <span class="open">open</span> <span class="dead">dead</span>
        </p>
      </header>
      <div class="inner">
        <svg
          class="arrivals"
          viewBox={`0 0 ${buckets.length * 10} ${height + 16}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={words}
        >
          {buckets.map((bucket, i) => (
            <Bar key={bucket.startsAt} bucket={bucket} x={i * 10} unit={height / most} />
          ))}
          {marks.map(({ version, part }) => (
            <path key={version} class="mark" d={`M${part * buckets.length * 10} 0V${height + 16}`} />
          ))}
          <path class="axis" d={`M0 ${height}H${buckets.length * 10}`} />
        </svg>
        <p class="bar faint scale">
          <span>{first && clockTime(Date.parse(first.startsAt))}</span>
          <span class="end">{middle && clockTime(Date.parse(middle.startsAt))}</span>
          <span class="end">now</span>
        </p>
        {marks.map(({ version, at }) => (
          <p key={version} class="faint">
            The dashed mark: version {version} started at {clockTime(at)}.
          </p>
        ))}
      </div>
    </section>
  )
}

function Bar({
  bucket: { startsAt, received, done, dead, isCapped, latency },
  x,
  unit,
}: {
  readonly bucket: StatisticsBucket
  readonly x: number
  readonly unit: number
}) {
  const open = received - done - dead
  const typical = latency ? `, done after ${duration(latency.p50 * 1000)}` : ''
  return (
    <g>
      <title>
        {clockTime(Date.parse(startsAt))}: {received}
        {isCapped ? '+' : ''} arrived, {dead} dead, {open} open{typical}
      </title>
      <rect class="hit" x={x} y={0} width={10} height={height + 16} />
      <rect class="done" x={x + 1} y={height - done * unit} width={8} height={done * unit} />
      <rect class="open" x={x + 1} y={height - (done + open) * unit} width={8} height={open * unit} />
      {dead > 0 && (
        <rect
          class="dead"
          x={x + 1}
          y={height + 2}
          width={8}
          height={Math.max(3, Math.min(14, dead * unit))}
        />
      )}
    </g>
  )
}
