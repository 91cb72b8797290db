import stringWidth from 'string-width'
import { excerpt } from './printable.js'
import type { Printer } from './printer.js'

/** One column of a table: its title, and the text of a record in it. */
export interface Column<T> {
  readonly title: string
  readonly text: (record: T) => string | number | null | undefined
  /** For text that a person reads and does not copy. It is cut in a narrow terminal. */
  readonly isProse?: true
}

const gap = 2
/** The minimum width of a column that is cut. */
const narrowest = 10
/** The maximum width of a cell. */
const maxCell = 80

/**
 * Prints a list: a table in a terminal, one JSON object per line in a pipe or with `--json`. If the list is empty, a terminal
 * shows `empty`.
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

/** In a narrow terminal only the columns of prose are cut, because the others contain ids. */
function fitInto(width: number, widths: number[], columns: readonly Column<never>[]): void {
  const line = widths.reduce((sum, each) => sum + each + gap, -gap)
  const prose = columns.findIndex(({ isProse }) => isProse)
  const own = widths[prose]
  if (own !== undefined && line > width) {
    widths[prose] = Math.min(own, Math.max(own - (line - width), narrowest))
  }
}
