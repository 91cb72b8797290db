import { sha256 } from '#crypto'
import type { ReadEvent } from './parse.js'
import { sortKeys } from './sort-keys.js'

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
  const text = canonicalText([event.type, content])
  // A lone surrogate has no UTF-8 of its own. JSON writes it as an escape. No canonical text starts with a quote.
  return sha256(text.isWellFormed() ? text : JSON.stringify(text))
}

/**
 * One text for each JSON value. As in bencode, a string follows its length and keys are in order, so no text stands for
 * two values. It takes less time than `JSON.stringify` on a copy with sorted keys.
 */
function canonicalText(value: unknown): string {
  if (typeof value === 'string') {
    return `${value.length}:${value}`
  }
  if (typeof value !== 'object' || value === null) {
    return `${value};`
  }
  let text: string
  if (Array.isArray(value)) {
    text = '['
    for (const element of value) {
      text += canonicalText(element)
    }
    return `${text}]`
  }
  text = '{'
  for (const key of sortKeys(Object.keys(value))) {
    text += `${key.length}:${key}${canonicalText((value as Record<string, unknown>)[key])}`
  }
  return `${text}}`
}
