/** JSON that keeps how it was written: every literal and all white space, so that it can be written in other forms. */
export type Node =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly Item[]; readonly inner: string }
  | { readonly kind: 'object'; readonly items: readonly Member[]; readonly inner: string }

/** A value of an array, with the white space before and after it. */
export interface Item {
  readonly before: string
  readonly value: Node
  readonly after: string
}

export interface Member extends Item {
  /** The string literal, quotation marks included. */
  readonly key: string
  /** The colon with the white space around it. */
  readonly colon: string
}

/** Deeper JSON is not scanned. No event is so deep, and the recursion needs a limit. */
const maxDepth = 100

const token = /[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null/y

/** Reads JSON text; `undefined` where it is none. */
export function scan(text: string): Item | undefined {
  try {
    // The engine’s own parser decides what is JSON; this scanner only has to keep what it drops.
    JSON.parse(text)
  } catch {
    return undefined
  }
  let at = 0

  function space(): string {
    const start = at
    while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') {
      at++
    }
    return text.slice(start, at)
  }

  function next(): string {
    token.lastIndex = at
    const [found = ''] = token.exec(text) ?? []
    at += found.length
    return found
  }

  function value(depth: number): Node {
    if (depth > maxDepth) {
      throw new RangeError('too deep')
    }
    const start = next()
    if (start === '{') {
      return object(depth)
    }
    if (start === '[') {
      return array(depth)
    }
    const kind = start.startsWith('"') ? 'string' : /^[-\d]/.test(start) ? 'number' : 'literal'
    return { kind, text: start }
  }

  function array(depth: number): Node {
    const items: Item[] = []
    let before = space()
    if (text[at] === ']') {
      at++
      return { kind: 'array', items, inner: before }
    }
    for (;;) {
      const item = value(depth + 1)
      items.push({ before, value: item, after: space() })
      if (next() === ']') {
        return { kind: 'array', items, inner: '' }
      }
      before = space()
    }
  }

  function object(depth: number): Node {
    const items: Member[] = []
    let before = space()
    if (text[at] === '}') {
      at++
      return { kind: 'object', items, inner: before }
    }
    for (;;) {
      const key = next()
      const colon = space() + next() + space()
      const item = value(depth + 1)
      items.push({ before, key, colon, value: item, after: space() })
      if (next() === '}') {
        return { kind: 'object', items, inner: '' }
      }
      before = space()
    }
  }

  try {
    const before = space()
    const root = value(0)
    return { before, value: root, after: space() }
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined
    }
    throw error
  }
}
