import { sha256 } from '#crypto'
import type { ReadEvent } from './parse.js'
import { sortKeys } from './sort-keys.js'

/**
 * SHA-256 over the content of an event: its type and its data after normalization. Key order, white space, escapes and
 * the envelope form do not change the hash. Equal numbers have equal hashes. A number that JavaScript cannot represent
 * exactly is hashed as its text in the body.
 *
 * Call it before user code gets the event, because user code could change the data.
 */
export function contentHash({
  event,
  content,
}: Pick<ReadEvent, 'event' | 'content'>): string | Promise<string> {
  const text = canonicalText([event.type, content])
  // UTF-8 cannot encode a lone surrogate, but JSON writes it as an escape. The two cases differ, because no canonical
  // text starts with a quote.
  return sha256(text.isWellFormed() ? text : JSON.stringify(text))
}

/**
 * A unique text for each JSON value. As in bencode, the length precedes a string, and keys are sorted, so different
 * values have different texts. It is faster than `JSON.stringify` on a copy with sorted keys.
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
