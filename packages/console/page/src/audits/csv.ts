import type { AuditRow } from '../../../src/wire.js'

const columns = [
  'id',
  'at',
  'actor',
  'action',
  'eventId',
  'isOfDelivery',
  'subject',
  'run',
  'reason',
] as const

/** RFC 4180. The mark at the start tells spreadsheets that it is UTF-8. */
export const csvOf = (rows: readonly AuditRow[]): string =>
  `\ufeff${[columns, ...rows.map((row) => columns.map((name) => String(row[name] ?? '')))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('')}`

/** A spreadsheet would run a cell that begins like a formula, so it gets an apostrophe. */
const cellOf = (text: string): string =>
  `"${(/^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
