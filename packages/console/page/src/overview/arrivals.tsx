import { clockTime, datedTime, dayOf, duration, zonedTime } from 'webhook-inbox-ui'
import type { Statistics, StatisticsBucket, VersionStart } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { linesOf, marksOf } from './starts.js'
import { MarkNumbers, MarkWords } from './version-marks.js'

/** Of the plot. A bar of dead events is never thinner than `thinnest`, so that one of them is seen. */
const height = 72
const thinnest = 3

/**
 * What arrived in each span, as bars: done upwards from the line, what is not done on top, dead below it. Both sides have the
 * same scale.
 */
export function Arrivals({
  value,
  starts,
}: {
  readonly value: Statistics
  readonly starts: readonly VersionStart[]
}) {
  const { at, buckets, bucketSeconds } = value
  const marks = marksOf(starts, value)
  const most = Math.max(0, ...buckets.map(({ received }) => received))
  const up = Math.max(0, ...buckets.map(({ received, dead }) => received - dead))
  const down = Math.max(0, ...buckets.map(({ dead }) => dead))
  const unit = (height - thinnest) / Math.max(1, up + down)
  const axis = down === 0 ? height - thinnest : up * unit
  const total = buckets.reduce((sum, { received }) => sum + received, 0)
  const isCapped = buckets.some((bucket) => bucket.isCapped)
  const arrived = `${digits(total)}${isCapped ? '+' : ''} events arrived`
  const words =
    total === 0
      ? `${arrived}.`
      : `${arrived}, ${isCapped ? '' : 'at most '}${digits(most)}${isCapped ? '+' : ''} in ${duration(bucketSeconds * 1000)}.`
  // Without the day, the end of a longer window would look like the begin.
  const timeOf = (time: number) =>
    bucketSeconds > 60 ? `${dayOf(time).slice(4)} ${clockTime(time).slice(0, 5)}` : datedTime(time)
  return (
    <section class="card arrived">
      <header>
        <h2>Arrived</h2>
        <p class="faint">
          {words}
          {isCapped && ' Busy spans are not counted to their end.'}
        </p>
        <p class="faint legend end" aria-hidden="true">
          <span class="done">done</span> <span class="open">open</span> <span class="dead">dead</span>
        </p>
      </header>
      <div class="inner">
        <svg
          class="arrivals"
          viewBox={`0 0 ${buckets.length * 10} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={words}
        >
          {buckets.map((bucket, i) => (
            <Bar key={bucket.startsAt} bucket={bucket} x={i * 10} unit={unit} axis={axis} />
          ))}
          {linesOf(marks).map((part) => (
            <path key={part} class="mark" d={`M${part * buckets.length * 10} 0V${height}`} />
          ))}
          <path class="axis" d={`M0 ${axis}H${buckets.length * 10}`} />
        </svg>
        <MarkNumbers marks={marks} />
        <p class="bar faint scale">
          {[buckets[0]?.startsAt, buckets[Math.floor(buckets.length / 2)]?.startsAt, at].map(
            (each) => each && <span key={each}>{timeOf(Date.parse(each))}</span>,
          )}
        </p>
        <MarkWords marks={marks} />
      </div>
    </section>
  )
}

function Bar({
  bucket: { startsAt, received, done, dead, isCapped, latency },
  x,
  unit,
  axis,
}: {
  readonly bucket: StatisticsBucket
  readonly x: number
  readonly unit: number
  readonly axis: number
}) {
  const open = received - done - dead
  const typical = latency ? `, done after ${duration(latency.p50 * 1000)}` : ''
  return (
    <g>
      <title>
        {zonedTime(startsAt)}: {received}
        {isCapped ? '+' : ''} arrived, {dead} dead, {open} open{typical}
      </title>
      <rect class="hit" x={x} y={0} width={10} height={height} />
      <rect class="done" x={x + 1} y={axis - done * unit} width={8} height={done * unit} />
      <rect class="open" x={x + 1} y={axis - (done + open) * unit} width={8} height={open * unit} />
      {dead > 0 && (
        <rect class="dead" x={x + 1} y={axis} width={8} height={Math.max(thinnest, dead * unit)} />
      )}
    </g>
  )
}
