import { datedTime } from 'webhook-inbox-ui'
import { type Mark, numbersOf } from './starts.js'

/** The numbers of the marks, below their plot. One mark alone needs none. */
export function MarkNumbers({ marks }: { readonly marks: readonly Mark[] }) {
  return marks.length > 1 ? (
    <svg class="mark-numbers" aria-hidden="true">
      {numbersOf(marks).map(({ part, words }) => (
        // Not beyond the edge.
        <text key={words} x={`${Math.min(96, Math.max(4, part * 100))}%`} y="1em">
          {words}
        </text>
      ))}
    </svg>
  ) : null
}

/** Which versions the marks stand for: the newest, and the others on request. */
export function MarkWords({ marks }: { readonly marks: readonly Mark[] }) {
  const [newest, ...earlier] = marks.toReversed()
  if (!newest) {
    return null
  }
  const name = earlier.length === 0 ? 'The dashed mark' : `Dashed mark ${newest.number}`
  return (
    <>
      <p class="faint">
        {name}: version {newest.version} started at {datedTime(newest.at)}.
      </p>
      {earlier.length > 0 && (
        <details class="more faint">
          <summary>
            {earlier.length} earlier {earlier.length === 1 ? 'start' : 'starts'}
          </summary>
          <ul>
            {earlier.map(({ version, at, number }) => (
              <li key={version}>
                Mark {number}: version {version} started at {datedTime(at)}.
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
