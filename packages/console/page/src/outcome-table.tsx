import type { ComponentChildren } from 'preact'
import { type GlyphName, Outcome, TableHead } from 'webhook-inbox-ui'
import { digits } from './digits.js'

/** How many events or deliveries had each outcome. Its children are rows. */
export function OutcomeTable({
  of,
  children,
}: {
  /** The heading of the column with the counts, such as "Events". */
  readonly of: string
  readonly children: ComponentChildren
}) {
  return (
    <table aria-label="What happened">
      <TableHead headings={['What happened', [of, 'number'], 'Detail']} />
      <tbody>{children}</tbody>
    </table>
  )
}

/** How many had one outcome. */
export function Row({
  outcome,
  word,
  count,
  children,
}: {
  readonly outcome: GlyphName
  readonly word: string
  readonly count: number
  readonly children?: ComponentChildren
}) {
  return (
    <tr>
      <td>
        <Outcome outcome={count > 0 ? outcome : 'ignored'}>{word}</Outcome>
      </td>
      <td class="number">{digits(count)}</td>
      <td class="because faint">{children}</td>
    </tr>
  )
}
