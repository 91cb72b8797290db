import type { ComponentChildren } from 'preact'
import { type Heading, Table, TableHead } from 'webhook-inbox-ui'

interface CardProps {
  readonly title: string
  readonly aside: ComponentChildren
  /** Said where there are no rows. */
  readonly empty: string
  readonly columns: readonly Heading[]
  /** One `tr` each. */
  readonly rows: readonly ComponentChildren[]
  readonly children?: ComponentChildren
}

/** A table with a title. On a phone each row is a block, and each cell has its heading beside it. */
export function Card({ title, aside, empty, columns, rows, children }: CardProps) {
  const headings = columns.map((column, at) => [
    `--heading-${at + 1}`,
    JSON.stringify(typeof column === 'string' ? column : column[0]),
  ])
  return (
    <section class="card" aria-label={title} style={Object.fromEntries(headings)}>
      <header>
        <h2>{title}</h2>
        <span class="faint">{aside}</span>
      </header>
      {rows.length === 0 ? (
        <p class="inner faint">{empty}</p>
      ) : (
        <Table label={title}>
          <TableHead headings={columns} />
          <tbody>{rows}</tbody>
        </Table>
      )}
      {children}
    </section>
  )
}
