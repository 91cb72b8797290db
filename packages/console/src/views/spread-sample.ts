/**
 * Up to `most` of the rows, in their order: some of each kind, the newest and the oldest of the kind and those evenly between them.
 * Rows that follow each other often have the same fault.
 */
export function spreadSample<Row>(rows: readonly Row[], kindOf: (row: Row) => string, most: number): Row[] {
  const byKind = new Map<string, Row[]>()
  for (const row of rows) {
    byKind
      .set(kindOf(row), byKind.get(kindOf(row)) ?? [])
      .get(kindOf(row))
      ?.push(row)
  }
  const kinds = [...byKind.values()].slice(0, most)
  const counts = kinds.map(() => 0)
  let left = Math.min(most, rows.length)
  while (left > 0) {
    for (const [at, kind] of kinds.entries()) {
      const count = counts[at] as number
      if (left > 0 && count < kind.length) {
        counts[at] = count + 1
        left -= 1
      }
    }
  }
  const chosen = new Set(kinds.flatMap((kind, at) => evenly(kind, counts[at] as number)))
  return rows.filter((row) => chosen.has(row))
}

function evenly<Row>(rows: readonly Row[], count: number): Row[] {
  const step = (rows.length - 1) / Math.max(count - 1, 1)
  return Array.from({ length: count }, (_, at) => rows[Math.round(at * step)] as Row)
}
