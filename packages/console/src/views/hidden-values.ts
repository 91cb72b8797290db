import { hideCut } from './hide-cut.js'
import { isJsonText, type MaskAt, masked } from './mask.js'
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
  const known = ofBodies.get(body)
  if (known?.mask === mask) {
    return known.hidden
  }
  const hidden = find(body, mask)
  ofBodies.set(body, { mask, hidden })
  return hidden
}

/** A view asks several times for the values of one body, and to find them reads all of it. */
const ofBodies = new WeakMap<Uint8Array, { readonly mask: MaskAt; readonly hidden: Hidden }>()

function find(body: Uint8Array, mask: MaskAt): Hidden {
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
    // A program may trim a value before it writes it into a message, and write it in one line.
    for (const form of new Set([value, value.trim(), value.trim().replace(/\s+/g, ' ')])) {
      // The search ignores case, but does not know that the ß of a name becomes SS.
      for (const text of [form, JSON.stringify(form).slice(1, -1), form.toUpperCase()]) {
        if (text.trim() !== '' && (text === form || text.length !== form.length)) {
          found.add(text)
        }
      }
    }
    if (isJsonText(value)) {
      collect(decoded(value), found)
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

/** The value of a text that was encoded twice, or `undefined`. */
function decoded(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The values and each of their words, for the title of a group. A title has `*` in place of numbers and quoted text, so it may
 * hold only a part of a value.
 */
export function withWords(hidden: Hidden): Hidden {
  if (hidden === 'all') {
    return 'all'
  }
  const found = new Set(hidden.flatMap((value) => [value, ...(value.match(/[\p{L}\p{N}]+/gu) ?? [])]))
  return found.size > 5 * mostValues ? 'all' : [...found].sort((a, b) => b.length - a.length)
}

/** Hides values in every text of a view, at every depth. */
export function withoutHidden<View>(view: View, hidden: Hidden): View {
  if (hidden.length === 0) {
    return view
  }
  if (typeof view === 'string') {
    return hideIn(view, hidden) as View
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

/** A value of this length is also hidden inside a word. Shorter values occur in most texts. */
const longEnough = 4
const wordPart = '[\\p{L}\\p{N}]'
/** The maximum cost of one text: its length, multiplied by that of the values to look for. A sender controls both. */
const mostCost = 4_000_000

function hideIn(text: string, hidden: Hidden): string {
  if (hidden === 'all') {
    return masked
  }
  const values = hidden.filter((value) => value.length <= 2 * text.length)
  const long = patternOf(values.filter((value) => value.length >= longEnough))
  const short = patternOf(values.filter((value) => value.length < longEnough))
  if ((long.length + short.length) * text.length > mostCost) {
    return masked
  }
  const withoutLong = long === '' ? text : hideMatches(text, long)
  const whole =
    short === '' ? withoutLong : hideMatches(withoutLong, `(?<!${wordPart})(?:${short})(?!${wordPart})`)
  return hideCut(whole, hidden)
}

const patternOf = (values: readonly string[]) =>
  values.map((value) => value.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|')

/**
 * In one search, because a search for each of 1,000 values takes too long. It looks ahead, so that it also finds a value that
 * begins inside another one. Upper or lower case, because a program may change the case of a value in a message.
 */
function hideMatches(text: string, pattern: string): string {
  let shown = ''
  let end = 0
  for (const { index, 1: value = '' } of text.matchAll(new RegExp(`(?=(${pattern}))`, 'giu'))) {
    if (index >= end) {
      shown += text.slice(end, index) + masked
    }
    end = Math.max(end, index + value.length)
  }
  return shown + text.slice(end)
}
