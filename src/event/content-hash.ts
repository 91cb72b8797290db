import { sha256 } from '#crypto'
import type { ReadEvent } from './parse.js'

/**
 * SHA-256 over what an event says: its type and its data after normalization. Two spellings of one event have one hash,
 * whatever their key order, white space, escapes and envelope form. Numbers count by value; one that JavaScript cannot
 * represent exactly counts by its text in the body.
 *
 * Call it before any code of the user sees the event, since that code could change the data.
 */
export function contentHash({
  event,
  content,
}: Pick<ReadEvent, 'event' | 'content'>): string | Promise<string> {
  return sha256(JSON.stringify([event.type, sortKeys(content)]))
}

/** The value with the keys of every object in order, so that `JSON.stringify` writes one text for each value. */
function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return value
  }
  if (Array.isArray(value)) {
    return value.map(sortKeys)
  }
  const sorted: Record<string, unknown> = {}
  for (const key of Object.keys(value).sort()) {
    sorted[key] = sortKeys((value as Record<string, unknown>)[key])
  }
  return sorted
}
