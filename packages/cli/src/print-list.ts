import stringWidth from 'string-width'
import { excerpt } from './printable.js'
import type { Printer } from './printer.js'

/** One column of a table: its title, and the text of a record in it. */
export interface Column<T> {
  readonly title: string
  readonly text: (record: T) => string | number | null | undefined
}

/** No cell is wider, however long the text is. */
const maxCell = 80

/**
 * Prints a list: a table in a terminal, one JSON object a line in a pipe or with `--json`.
 * A person reads `empty` where there is nothing.
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
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell))))
      .join('  ')
      .trimEnd()
  print.line(print.style('bold', line(columns.map(({ title }) => title))))
  for (const row of rows) {
    print.line(line(row))
  }
}
