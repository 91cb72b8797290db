import { masked } from './mask.js'

/** A text that is nested deeper than this is masked as a whole, because each level costs a pass over what it holds. */
const mostLevels = 64

/**
 * Replaces values of a JSON text and keeps every other character. A number of 20 digits stays exact, and both values of a
 * duplicate key are masked. `text` must be valid JSON.
 */
export function maskText(text: string, mask: (path: string, value: unknown) => unknown): string {
  let at = 0
  let deepest = 0

  function space(): string {
    const from = at
    while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) {
      at++
    }
    return text.slice(from, at)
  }

  function string(): string {
    const from = at
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === '\\') {
        at++
      }
    }
    at++
    return text.slice(from, at)
  }

  /** A number, true, false or null. */
  function scalar(): void {
    while (at < text.length && !',]} \t\n\r'.includes(text.charAt(at))) {
      at++
    }
  }

  /** The text of the value that begins here. */
  function whole(): string {
    const from = at
    let depth = 0
    do {
      const sign = text.charAt(at)
      if (sign === '"') {
        string()
      } else if (sign === '{' || sign === '[') {
        depth++
        deepest = Math.max(deepest, depth)
        at++
      } else if (sign === '}' || sign === ']') {
        depth--
        at++
      } else if (depth > 0) {
        at++
      } else {
        scalar()
      }
    } while (depth > 0)
    return text.slice(from, at)
  }

  function value(path: readonly string[]): string {
    const from = at
    const raw = whole()
    const given: unknown = JSON.parse(raw)
    const shown = mask(path.join('.'), given)
    if (path.length > 0 && shown !== given) {
      return JSON.stringify(shown) ?? 'null'
    }
    if (typeof given !== 'object' || given === null) {
      return raw
    }
    at = from
    return members(path, Array.isArray(given))
  }

  /** What stands between the brackets of an object or a list, and the brackets. */
  function members(path: readonly string[], isList: boolean): string {
    let out = text.charAt(at++)
    for (let index = 0; ; index++) {
      out += space()
      const sign = text.charAt(at)
      if (sign === '}' || sign === ']') {
        at++
        return out + sign
      }
      if (sign === ',') {
        at++
        out += sign + space()
      }
      let key = String(index)
      if (!isList) {
        const name = string()
        key = JSON.parse(name) as string
        out += name + space() + text.charAt(at++) + space()
      }
      out += value([...path, key])
    }
  }

  space()
  const start = at
  whole()
  if (deepest > mostLevels) {
    return JSON.stringify(masked)
  }
  at = start
  return text.slice(0, start) + value([]) + space()
}
