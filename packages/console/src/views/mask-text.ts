import type { MaskAt } from './mask.js'

/**
 * The maximum cost of a mask for one body, in characters. A mask of a few paths costs about as many characters as its
 * fields have.
 */
const budget = 10_000_000
/** The cost of one value in addition to its characters. */
const lookCost = 20
/** A function is asked for each level, and may hide a value in any of them. */
const mostLevels = 64

/** A value that a mask has hidden. `value` parses it, `keys` lead to it, and `text` is its JSON. */
export type OnHidden = (value: () => unknown, keys: readonly string[], text: () => string) => void

/**
 * Replaces values of a JSON text and keeps every other character. A number of 20 digits stays exact, and both values of a
 * duplicate key are masked. `text` must be valid JSON. Returns `undefined` if the mask costs too much for this text.
 */
export function maskText(text: string, mask: MaskAt, onHidden?: OnHidden): string | undefined {
  let at = 0
  let spent = 0
  const out: string[] = []
  const keys: string[] = []
  /** Everything before this position is in `out`. */
  let copied = 0

  function space(): void {
    while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) {
      at++
    }
  }

  function string(): void {
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === '\\') {
        at++
      }
    }
    at++
  }

  /** A number, true, false or null. */
  function scalar(): void {
    while (at < text.length && !',]} \t\n\r'.includes(text.charAt(at))) {
      at++
    }
  }

  /** Moves to the end of the value that begins here, at any depth. */
  function skip(): void {
    let depth = 0
    do {
      const sign = text.charAt(at)
      if (sign === '"') {
        string()
      } else if (sign === '{' || sign === '[') {
        depth++
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
  }

  function spend(characters: number): void {
    spent += characters + lookCost
    if (spent > budget) {
      throw tooComplex
    }
  }

  function value(here: MaskAt, level: number): void {
    const from = at
    spend(here.cost)
    let end: number | undefined
    const read = (): unknown => {
      at = from
      skip()
      end = at
      spend(end - from)
      return JSON.parse(text.slice(from, end))
    }
    const { isHidden, shown } = here.show(read, text.charAt(from))
    if (isHidden) {
      onHidden?.(read, keys, () => {
        read()
        return text.slice(from, end)
      })
      if (end === undefined) {
        skip()
        end = at
      }
      out.push(text.slice(copied, from), JSON.stringify(shown) ?? 'null')
      at = end
      copied = at
      return
    }
    at = from
    const sign = text.charAt(at)
    if (sign === '{' || sign === '[') {
      members(here, level + 1, sign === '[')
    } else {
      skip()
    }
  }

  function members(here: MaskAt, level: number, isList: boolean): void {
    if (level > mostLevels) {
      throw tooComplex
    }
    at++
    for (let index = 0; ; index++) {
      space()
      if (text.charAt(at) === ',') {
        at++
        space()
      }
      const sign = text.charAt(at)
      if (sign === '}' || sign === ']') {
        at++
        return
      }
      const name = isList ? String(index) : key()
      const below = here.below(name)
      if (below) {
        keys.push(name)
        value(below, level)
        keys.pop()
      } else {
        skip()
      }
    }
  }

  /** Reads the key of a member and moves to its value. */
  function key(): string {
    const from = at
    string()
    const name = JSON.parse(text.slice(from, at)) as string
    spend(name.length)
    space()
    at++
    space()
    return name
  }

  try {
    space()
    value(mask, 0)
  } catch (error) {
    if (error === tooComplex) {
      return undefined
    }
    throw error
  }
  return [...out, text.slice(copied)].join('')
}

const tooComplex = Symbol('too complex')
