/** A heading, or a heading with the class of its cells. */
export type Heading = string | readonly [text: string, cells: string]

/** The head of a table. */
export const TableHead = ({ headings }: { readonly headings: readonly Heading[] }) => (
  <thead>
    <tr>
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
