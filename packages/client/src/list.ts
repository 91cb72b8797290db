import { isObject, objectOf, unusable } from './answer.js'
import { UsageError } from './errors.js'
import type { CallOptions, Settings } from './options.js'
import type { Page } from './schemas/page.js'
import { send } from './send.js'

/** Which part of a list. */
export interface PageOptions {
  /** The `nextCursor` of the page before. Default: the start of the list. */
  readonly cursor?: string | undefined
  /** Items on a page: 1 to 100. Default: that of the service, 20. */
  readonly limit?: number | undefined
}

/**
 * A list of the service. `for await` iterates over all items and requests a page when it needs one. `page()` requests
 * one page. `list()` itself sends no request.
 */
export interface List<Item> extends AsyncIterable<Item> {
  page(options?: PageOptions): Promise<Page<Item>>
}

/** The list at a path, from the given cursor on. */
export function list<Item>(
  settings: Settings,
  path: string,
  from: PageOptions,
  options: CallOptions,
): List<Item> {
  const page = async (part: PageOptions = {}): Promise<Page<Item>> => {
    const asked = { ...from, ...part }
    const sent = await send(settings, { method: 'GET', path, query: toQuery(asked) }, options)
    const { data, hasMore, nextCursor, ...rest } = objectOf(sent)
    if (!Array.isArray(data) || !data.every(isObject)) {
      throw unusable(sent, 'the body is no page: data must be a list of objects')
    }
    const cursor = typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : null
    if (cursor !== null && cursor === asked.cursor) {
      throw unusable(sent, 'nextCursor is the cursor of this page, so that the list would never end')
    }
    // The items are what the schemas of this package describe; nothing of them is checked or removed.
    return { ...rest, data: data as Item[], hasMore: hasMore === true && cursor !== null, nextCursor: cursor }
  }
  return { page, [Symbol.asyncIterator]: () => items(page, from.cursor) }
}

async function* items<Item>(
  page: (part: PageOptions) => Promise<Page<Item>>,
  from: string | undefined,
): AsyncGenerator<Item, void, undefined> {
  let cursor = from
  for (;;) {
    const { data, hasMore, nextCursor } = await page({ cursor })
    yield* data
    if (!hasMore || nextCursor === null) {
      return
    }
    cursor = nextCursor
  }
}

function toQuery({ cursor, limit }: PageOptions): string {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 100)) {
    throw new UsageError('invalid_option', 'limit must be a whole number from 1 to 100')
  }
  const query = new URLSearchParams()
  if (limit !== undefined) {
    query.set('limit', String(limit))
  }
  if (cursor !== undefined) {
    query.set('cursor', cursor)
  }
  return query.size === 0 ? '' : `?${query}`
}
