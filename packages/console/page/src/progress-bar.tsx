import type { GlyphName } from 'webhook-inbox-ui'

/** How much of a whole has which outcome. The text beside it says the same. */
export function ProgressBar({
  whole,
  parts,
}: {
  readonly whole: number
  readonly parts: readonly (readonly [outcome: GlyphName, width: number])[]
}) {
  let x = 0
  return (
    <svg
      class="progress"
      viewBox={`0 0 ${Math.max(1, whole)} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {parts.map(([outcome, width]) => {
        const at = x
        x += width
        return <rect key={outcome} data-outcome={outcome} x={at} width={width} height={1} />
      })}
    </svg>
  )
}
