import { Ago, CoverLink, Outcome, TableHead } from 'webhook-inbox-ui'
import type { GroupRow } from '../../../src/wire.js'
import { hrefOf, route } from '../route.js'
import { cappedWords } from '../state-words.js'
import { groupWords, holds, whereOf, worstOf } from './words.js'

/** Failures by their cause. */
export function FailureTable({
  rows,
  hasStates = true,
}: {
  readonly rows: readonly GroupRow[]
  /** Whether they may be in different states. */
  readonly hasStates?: boolean
}) {
  return (
    <table class="list causes" aria-label="Failures by cause">
      <TableHead
        headings={[
          'Cause',
          ['Events', 'number'],
          'Seen',
          ...(hasStates ? [['State', 'settled'] as const] : []),
        ]}
      />
      <tbody>
        {rows.map((row) => (
          <Cause key={row.group} row={row} hasState={hasStates} />
        ))}
      </tbody>
    </table>
  )
}

function Cause({ row, hasState }: { readonly row: GroupRow; readonly hasState: boolean }) {
  const { group, code, firstSeenAt, lastSeenAt, state } = row
  const isOpen = route.value.page === 'failures' && route.value.id === group
  const [glyph, word] = groupWords[state]
  return (
    <tr class={isOpen ? 'open' : undefined}>
      <td class="cause">
        <Outcome outcome={worstOf(row)}>{code ?? 'unknown'}</Outcome>
        <p>
          <CoverLink id={group} href={hrefOf('failures', group, route.value.query)} isOpen={isOpen}>
            {row.title}
          </CoverLink>
        </p>
        {row.error && <p class="mono">{row.error}</p>}
        <p class="faint">{whereOf(row)}</p>
      </td>
      <td class="number">
        <strong>{cappedWords(row)}</strong>
        <p class="faint">{holds(row)}</p>
      </td>
      <td class="faint seen">
        <p>
          last <Ago at={lastSeenAt} />
        </p>
        <p>
          first <Ago at={firstSeenAt} />
        </p>
      </td>
      {hasState && (
        <td class="settled">
          <Outcome outcome={glyph}>{word}</Outcome>
        </td>
      )}
    </tr>
  )
}
