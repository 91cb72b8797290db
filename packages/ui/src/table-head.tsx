/** A heading, or a heading with the class of its cells. */
export type Heading = string | readonly [text: string, cells: string]

interface TableHeadProps {
  readonly headings: readonly Heading[]
  /** Which row of the table it is, if the page does not have all rows. */
  readonly rowIndex?: number
}

/** The head of a table. */
export const TableHead = ({ headings, rowIndex }: TableHeadProps) => (
  <thead>
    <tr aria-rowindex={rowIndex}>
      {headings.map((heading) => {
        const [text, cells] = typeof heading === 'string' ? [heading] : heading
        return (
          <th key={text} scope="col" class={cells}>
            {text}
          </th>
        )
      })}
    </tr>
  </thead>
)
