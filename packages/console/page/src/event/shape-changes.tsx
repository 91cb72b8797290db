import type { EventDetail, ShapeChangeRow } from '../../../src/wire.js'
import { EventLink } from '../event-link.js'
import { Section } from '../section.js'

const words = { missing: 'is missing', added: 'is new' } as const

function wordsOf({ change, before, type }: ShapeChangeRow): string {
  switch (change) {
    case 'type':
      return `is ${type}, was ${before ?? 'another type'}`
    case 'renamed':
      return `may have been ${before}`
    default:
      return `${words[change]} (${type})`
  }
}

/** What changed in the shape of the data since the last event of its type that was done. */
export function ShapeChanges({
  of: { lastSuccess, shapeChanges: changes = [] },
}: {
  readonly of: Pick<EventDetail, 'lastSuccess' | 'shapeChanges'>
}) {
  return (
    <Section title="What changed since the last success">
      {changes.length === 0 ? (
        <p class="faint">
          {lastSuccess === undefined
            ? 'No success of this type is kept.'
            : 'The shape of its data has not changed.'}
        </p>
      ) : (
        <ul class="stack tight">
          {changes.map((row) => (
            <li key={row.path}>
              <code>{row.path}</code> {wordsOf(row)}
            </li>
          ))}
        </ul>
      )}
      {lastSuccess !== undefined && (
        <p class="faint">
          Compared with <EventLink id={lastSuccess} />
        </p>
      )}
    </Section>
  )
}
