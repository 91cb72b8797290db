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
  const text = canonical(event.type) + canonical(content)
  // UTF-8 has no form for a lone surrogate. JSON escapes it, and its leading quote begins no other text.
  return sha256(text.isWellFormed() ? text : JSON.stringify(text))
}

/** One text for each JSON value. Lengths stand before strings and lists, so that no two values share a text. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return `${value.length}:${value}`
  if (typeof value !== 'object' || value === null) return `${value};`
  let text: string
  if (Array.isArray(value)) {
    text = `${value.length}[`
    for (const item of value) text += canonical(item)
    return text
  }
  const keys = sorted(Object.keys(value))
  text = `${keys.length}{`
  for (const key of keys) text += `${key.length}:${key}${canonical((value as Record<string, unknown>)[key])}`
  return text
}

/** Many senders write their keys in order, and to find that out is quicker than to sort. */
function sorted(keys: string[]): string[] {
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i] as string) < (keys[i - 1] as string)) return keys.sort()
  }
  return keys
}
