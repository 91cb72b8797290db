import type { Statistics, VersionStart } from '../../../src/wire.js'
import { linesOf, marksOf } from './starts.js'

const height = 20

/**
 * A small line over the window, with a mark where a version started. The fact beside it says the newest value. The last
 * interval has not ended, so the line to it is dotted.
 */
export function Sparkline({
  name,
  values,
  statistics,
  starts,
}: {
  readonly name: string
  readonly values: readonly (number | undefined)[]
  readonly statistics: Statistics
  readonly starts: readonly VersionStart[]
}) {
  const most = Math.max(...values.map((value) => value ?? 0)) || 1
  const points = values.map((value = 0, at) => `${at},${height - (value / most) * (height - 2)}`)
  const last = values.length - 1
  return (
    <svg class="spark" viewBox={`0 0 ${last} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <title>{name}</title>
      <polygon class="area" points={`0,${height} ${points.join(' ')} ${last},${height}`} />
      <polyline points={points.slice(0, -1).join(' ')} />
      <polyline class="unfinished" points={points.slice(-2).join(' ')} />
      {linesOf(marksOf(starts, statistics)).map((part) => (
        <line key={part} class="mark" x1={part * last} x2={part * last} y1={0} y2={height} />
      ))}
    </svg>
  )
}
