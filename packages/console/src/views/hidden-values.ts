import { type MaskAt, masked } from './mask.js'
import { maskText } from './mask-text.js'

/** Values to hide, or `all`, if there are too many to look for each. */
export type Hidden = readonly string[] | 'all'

const mostValues = 1000

/**
 * The values of a body that the mask hides, as texts. An error, a resource or the title of a group may repeat one of them.
 * Empty without a mask.
 */
export function hiddenValues(body: Uint8Array, mask: MaskAt | undefined): Hidden {
  if (!mask) {
    return []
  }
  const found = new Set<string>()
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    JSON.parse(text)
    const shown = maskText(text, mask, (value) => collect(value(), found))
    if (shown === undefined || found.size > mostValues) {
      return 'all'
    }
  } catch {
    // The body is not JSON, or the mask failed. So the values to hide are not known.
    return 'all'
  }
  // Longer values come first, because they may contain shorter ones.
  return [...found].sort((a, b) => b.length - a.length)
}

/** The name of a field is no secret. A name of another form, such as that of a person, is a value that serves as a key. */
const fieldName = /^[a-z_$][A-Za-z_$]*$/

/** Adds each text and number in a value, in plain form and in the form of JSON. */
function collect(value: unknown, found: Set<string>): void {
  if (found.size > mostValues) {
    return
  }
  if (typeof value === 'string') {
    for (const text of [value, JSON.stringify(value).slice(1, -1)]) {
      if (text.trim() !== '') {
        found.add(text)
      }
    }
  } else if (typeof value === 'number') {
    found.add(String(value))
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      if (!Array.isArray(value) && !fieldName.test(name)) {
        collect(name, found)
      }
      collect(part, found)
    }
  }
}

/** A value of this length is also hidden inside a word. Shorter values occur in most texts. */
const longEnough = 4

/** Hides values in every text of a view, at every depth. */
export function withoutHidden<View>(view: View, hidden: Hidden): View {
  if (hidden.length === 0) {
    return view
  }
  if (typeof view === 'string') {
    return (hidden === 'all' ? masked : hidden.reduce(hide, view as string)) as View
  }
  if (Array.isArray(view)) {
    return view.map((part) => withoutHidden(part, hidden)) as View
  }
  if (typeof view === 'object' && view !== null) {
    const parts = Object.entries(view).map(([name, part]) => [name, withoutHidden(part, hidden)])
    return Object.fromEntries(parts) as View
  }
  return view
}

/** Upper or lower case, because a program may change the case of a value in a message. */
function hide(text: string, value: string): string {
  if (value.length > 2 * text.length) {
    return text
  }
  const escaped = value.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  const whole = value.length < longEnough ? `(?<!${wordPart})${escaped}(?!${wordPart})` : escaped
  return text.replace(new RegExp(whole, 'giu'), masked)
}

const wordPart = '[\\p{L}\\p{N}]'
