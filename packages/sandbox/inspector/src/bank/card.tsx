import type { ComponentChildren } from 'preact'
import { Table } from 'webhook-inbox-ui'

interface CardProps {
  readonly title: string
  readonly aside: ComponentChildren
  /** Said where there are no rows. */
  readonly empty: string
  /** The headings, each with the class of its cells. */
  readonly columns: readonly (string | { readonly name: string; readonly class: string })[]
  /** One `tr` each. */
  readonly rows: readonly ComponentChildren[]
  readonly children?: ComponentChildren
}

/** A table with a title, which scrolls sideways where it is too wide. */
export function Card({ title, aside, empty, columns, rows, children }: CardProps) {
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span class="faint">{aside}</span>
      </header>
      {rows.length === 0 ? (
        <p class="inner faint">{empty}</p>
      ) : (
        <Table label={title}>
          <thead>
            <tr>
              {columns.map((column) => {
                const { name, class: of } = typeof column === 'string' ? { name: column, class: '' } : column
                return (
                  <th key={name} scope="col" class={of}>
                    {name}
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>{rows}</tbody>
        </Table>
      )}
      {children}
    </section>
  )
}
