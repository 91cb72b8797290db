import stringWidth from 'string-width'
import { excerpt } from './printable.js'
import type { Printer } from './printer.js'

/** One column of a table: its title, and the text of a record in it. */
export interface Column<T> {
  readonly title: string
  readonly text: (record: T) => string | number | null | undefined
  /** To read rather than to copy: it is cut if the terminal is narrow. */
  readonly isProse?: true
}

const gap = 2
/** No column is cut to less. */
const narrowest = 10
/** No cell is wider, however long the text is. */
const maxCell = 80

/**
 * Prints a list: a table in a terminal, one JSON object a line in a pipe or with `--json`.
 * A person reads `empty` if there is nothing.
 */
export function printList<T>(
  records: readonly T[],
  columns: readonly Column<T>[],
  { print, json, empty }: { readonly print: Printer; readonly json: boolean; readonly empty: string },
): void {
  if (json || !print.isTerminal) {
    for (const record of records) {
      print.json(record)
    }
  } else if (records.length === 0) {
    print.line(empty)
  } else {
    printTable(records, columns, print)
  }
}

export function printTable<T>(records: readonly T[], columns: readonly Column<T>[], print: Printer): void {
  const rows = records.map((record) =>
    columns.map(({ text }) => excerpt(String(text(record) ?? ''), maxCell)),
  )
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...rows.map((row) => stringWidth(row[at] ?? ''))),
  )
  fitInto(print.width, widths, columns)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (columns[at]?.isProse ? excerpt(cell, widths[at] as number) : cell))
      .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell))))
      .join(' '.repeat(gap))
      .trimEnd()
  print.line(print.style('bold', line(columns.map(({ title }) => title))))
  for (const row of rows) {
    print.line(line(row))
  }
}

/** The columns of prose give way to a narrow terminal; the others would lose the end of an id. */
function fitInto(width: number, widths: number[], columns: readonly Column<never>[]): void {
  const line = widths.reduce((sum, each) => sum + each + gap, -gap)
  const prose = columns.findIndex(({ isProse }) => isProse)
  const own = widths[prose]
  if (own !== undefined && line > width) {
    widths[prose] = Math.min(own, Math.max(own - (line - width), narrowest))
  }
}
