import stringWidth from 'string-width'
import { excerpt } from './printable.js'
import type { Printer } from './printer.js'
import { wrap } from './wrap.js'

/** One column of a table: its title, and the text of a record in it. */
export interface Column<T> {
  readonly title: string
  readonly text: (record: T) => string | number | null | undefined
  /** For text that a person reads and does not copy. In a narrow terminal it is cut, or stands on lines of its own. */
  readonly isProse?: true
  /** Left out if a narrow terminal has no room for it. */
  readonly isExtra?: true
}

const gap = 2
/** Prose that would get less room than this stands on lines of its own, below its row. */
const readable = 40
/** The maximum width of a cell. */
const maxCell = 80
/** The maximum length of prose on lines of its own. */
const maxProse = 240

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
  const fitted = fit(records, columns, print.width)
  const hidden = columns.filter((column) => column.isExtra && !fitted.includes(column))
  const widths = widthsOf(records, fitted)
  const prose = fitted.findIndex(({ isProse }) => isProse)
  const below = columns.find((column) => column.isProse && prose < 0)
  if (prose >= 0) {
    widths[prose] = Math.min(widths[prose] as number, roomFor(prose, widths, print.width))
  }
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at === prose ? excerpt(cell, widths[at] as number) : cell))
      .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell))))
      .join(' '.repeat(gap))
      .trimEnd()
  print.line(print.style('bold', line(fitted.map(({ title }) => title))))
  if (below) {
    print.line(print.style('bold', `  ${below.title}`))
  }
  for (const record of records) {
    print.line(line(fitted.map((column) => cellOf(column, record))))
    const text = below && excerpt(String(below.text(record) ?? ''), maxProse)
    for (const part of text ? wrap(text, print.width - 2) : []) {
      print.line(`  ${part}`)
    }
  }
  if (hidden.length > 0) {
    const titles = hidden.map(({ title }) => title).join(', ')
    print.note(
      `not shown, because the terminal has only ${print.width} columns: ${titles}. --json shows them.`,
    )
  }
}

/** The columns that fit in the terminal. Without the one of prose if it would be cut too much, and then without extras. */
function fit<T>(records: readonly T[], columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  const widths = widthsOf(records, columns)
  const prose = columns.findIndex(({ isProse }) => isProse)
  if (prose >= 0 && roomFor(prose, widths, width) >= Math.min(widths[prose] as number, readable)) {
    return columns
  }
  let fitted = columns.filter(({ isProse }) => !isProse)
  while (lineWidth(widthsOf(records, fitted)) > width) {
    const extra = fitted.findLast(({ isExtra }) => isExtra)
    if (!extra) {
      break
    }
    fitted = fitted.filter((column) => column !== extra)
  }
  return fitted
}

const cellOf = <T>({ text }: Column<T>, record: T) => excerpt(String(text(record) ?? ''), maxCell)

const widthsOf = <T>(records: readonly T[], columns: readonly Column<T>[]) =>
  columns.map((column) =>
    Math.max(column.title.length, ...records.map((record) => stringWidth(cellOf(column, record)))),
  )

const lineWidth = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each + gap, -gap)

const roomFor = (column: number, widths: readonly number[], width: number) =>
  width - lineWidth(widths) + (widths[column] as number)
