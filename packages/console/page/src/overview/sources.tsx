import { Ago, duration, Outcome, Table, TableHead } from 'webhook-inbox-ui'
import type { SourceRow, SourcesView } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { hrefOf } from '../route.js'

/** How many rows are shown, unless more are silent. */
const most = 6

/** `2 types silent`; `undefined` where none is. */
export function silentWords(view: SourcesView | undefined): string | undefined {
  const silent = view?.sources.filter(({ isSilent }) => isSilent) ?? []
  if (silent.some(({ type }) => type === undefined)) {
    return 'endpoint silent'
  }
  return silent.length > 0 ? `${typesOf(silent.length)} silent` : undefined
}

/** The same, and for how long if that is true of one source. */
export function silentFor(view: SourcesView | undefined, now: string): string | undefined {
  const silent = view?.sources.filter(({ isSilent }) => isSilent) ?? []
  const only = silent.length === 1 ? silent[0] : silent.find(({ type }) => type === undefined)
  const words = silentWords(view)
  return words && only ? `${words} for ${duration(Date.parse(now) - Date.parse(only.lastReceivedAt))}` : words
}

/** The same for a narrow field: `2 silent`, or `silent` for the endpoint. */
export const silentBriefly = (view: SourcesView): string | undefined =>
  silentWords(view)?.replace(/^endpoint | types?/, '')

export const typesOf = (count: number): string => `${digits(count)} ${count === 1 ? 'type' : 'types'}`

/** Types that have gone silent against their own rhythm, and those that arrive as usual. */
export function Sources({
  view: { sources, isCapped },
  isOld,
}: {
  readonly view: SourcesView
  /** Whether they cannot be read now. One that arrived as usual may be silent since. */
  readonly isOld: boolean
}) {
  const silent = sources.filter(({ isSilent }) => isSilent)
  const shown = sources.slice(0, Math.max(most, silent.length))
  const left = sources.length - shown.length
  const isEndpointSilent = silent.some(({ type }) => type === undefined)
  // Nothing comes as usual while nothing comes at all.
  const hasRare = isEndpointSilent && silent.length < sources.length
  const otherwise = isOld ? 'Not known now' : hasRare ? 'Too rare to tell' : 'As usual'
  return (
    <section class="card" aria-label="Sources">
      <header>
        <h2>Sources</h2>
        <p class="faint">{silentWords({ sources, isCapped }) ?? (isOld ? 'not known now' : 'none silent')}</p>
      </header>
      <p class="inner faint">
        Silent: no event for an hour or more, although more than twenty were expected.
        {hasRare && ' Too rare to tell: twenty or fewer were expected.'}
      </p>
      {sources.length === 0 ? (
        <p class="inner faint">Nothing has come for a week.</p>
      ) : (
        <Table label="Sources" class="facts">
          <TableHead headings={['Source', 'State', 'Last']} />
          <tbody>
            {shown.map((row) => (
              <Source key={row.type} row={row} otherwise={otherwise} />
            ))}
          </tbody>
        </Table>
      )}
      {left > 0 && (
        <p class="inner faint">
          {typesOf(left)} more: {otherwise.toLowerCase()}.
          {isCapped && ' There are more types, which were not checked.'}
        </p>
      )}
    </section>
  )
}

function Source({
  row: { type, lastReceivedAt, isSilent },
  otherwise,
}: {
  readonly row: SourceRow
  /** The state of a source that is not silent. */
  readonly otherwise: string
}) {
  const glyph = isSilent ? 'failed' : otherwise === 'As usual' ? 'processed' : 'pending'
  return (
    <tr>
      <td class="name">
        {type === undefined ? (
          <a href={hrefOf('events')}>The whole endpoint</a>
        ) : (
          <a href={hrefOf('events', undefined, [['type', type]])}>{type}</a>
        )}
      </td>
      <td>
        <Outcome outcome={glyph}>{isSilent ? 'Silent' : otherwise}</Outcome>
      </td>
      <td class="faint" data-label="last">
        <Ago at={lastReceivedAt} />
      </td>
    </tr>
  )
}
