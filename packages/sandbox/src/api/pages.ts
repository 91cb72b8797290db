import type { Page } from '../database/page.js'
import { Problem } from './problems.js'

interface Row {
  readonly seq: number
}

interface PageOf<Record> {
  data: Record[]
  hasMore: boolean
  nextCursor: string | null
}

/**
 * One page of a list, the newest first. The cursor names a row. So if rows are inserted while a program reads page by page, no
 * row is repeated or skipped. Throws `Problem` for an invalid cursor.
 */
export function pageRecord<R extends Row, Record>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  list: (page: Page) => readonly R[],
  recordOf: (row: R) => Record,
): PageOf<Record> {
  const rows = list({ limit: limit + 1, before: cursor === undefined ? undefined : seqOf(cursor) })
  const shown = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const last = shown.at(-1)
  return {
    data: shown.map(recordOf),
    hasMore,
    nextCursor: hasMore && last ? Buffer.from(`before:${last.seq}`).toString('base64url') : null,
  }
}

function seqOf(cursor: string): number {
  const [, seq] = /^before:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (seq !== undefined) {
    return Number(seq)
  }
  throw new Problem('invalid_request', 'cursor must be the nextCursor of another page.', {
    param: 'cursor',
    gap: 'G15',
  })
}
