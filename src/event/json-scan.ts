/** What `JSON.parse` does not tell: it keeps the last of two equal keys and rounds numbers, silently. */
export interface JsonScan {
  /** Whether the top-level object holds a key twice. */
  readonly repeatsAtTop: boolean
  /** Where an object below holds a key twice: the keys that lead there. The first twenty of them. */
  readonly repeatedKeys: ReadonlySet<string>
  /** The numbers that JavaScript cannot represent exactly. */
  readonly inexact: readonly NumberInText[]
}

/** A number as the text has it. */
export interface NumberInText {
  readonly literal: string
  /** Where it begins. */
  readonly start: number
}

const quote = 0x22
const dash = 0x2d
const nine = 0x39
const colon = 0x3a
const backslash = 0x5c
const letterE = 0x65

/**
 * Whether JSON that `JSON.parse` has accepted holds exactly so many keys, and no number that needs a closer look: up to
 * 15 significant digits survive a double whatever they are.
 */
export function isPlain(json: Uint8Array, keys: number): boolean {
  let colons = 0
  let digits = 0
  // Bytes, because the characters of a string take twice as long: 0.4 of JSON.parse and not 0.2.
  // Stryker disable next-line EqualityOperator: beyond the end there is no byte
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number
    if (byte === quote) {
      // Stryker disable next-line EqualityOperator: a string ends before the text does
      while (++i < json.length && json[i] !== quote) if (json[i] === backslash) i++
    } else if (byte >= dash && byte <= nine) {
      if (++digits > 15) return false
    } else {
      // In capitals or not.
      if (digits > 0 && (byte | 0x20) === letterE) return false
      if (byte === colon) colons++
      digits = 0
    }
  }
  return colons === keys
}

const mostRepeated = 20

/** Of a path no more is kept, or many long ones would take quadratic time. */
const longestPath = 300

/** An object or a list that has not ended yet. */
interface Level {
  readonly keys: Set<string>
  readonly path: string
}

/** Looks through the text of an object that `JSON.parse` has accepted, in linear time. */
export function scanJson(text: string): JsonScan {
  const open: Level[] = []
  const repeatedKeys = new Set<string>()
  let repeatsAtTop = false
  const inexact: NumberInText[] = []
  /** The keys that lead to the value that is read, each with a dot behind it. */
  let path = ''
  let stringStart = 0
  // Stryker disable next-line EqualityOperator: beyond the end there is no character, and so no token
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string
    if (character === '"') {
      stringStart = i
      while (text[++i] !== '"') if (text[i] === '\\') i++
    } else if (character === '{' || character === '[') open.push({ keys: new Set(), path })
    else if (character === '}' || character === ']') path = (open.pop() as Level).path
    else if (character === ':') {
      const object = open.at(-1) as Level
      const key: string = JSON.parse(text.slice(stringStart, i))
      if (object.keys.has(key)) {
        if (open.length === 1) repeatsAtTop = true
        else if (repeatedKeys.size < mostRepeated) repeatedKeys.add(object.path + key)
      }
      object.keys.add(key)
      path = `${object.path}${key}.`.slice(0, longestPath)
    } else if ('-0123456789'.includes(character)) {
      const start = i
      // The object is closed, so that there is a next character always.
      while ('-+.eE0123456789'.includes(text[i + 1] as string)) i++
      const literal = text.slice(start, i + 1)
      if (!isExact(literal)) inexact.push({ literal, start })
    }
  }
  return { repeatsAtTop, repeatedKeys, inexact }
}

/**
 * Whether the double nearest to a JSON number, printed again, denotes the same decimal number. Their digits tell: the
 * double is never ten times the number.
 */
export function isExact(literal: string): boolean {
  const value = Number(literal)
  return Number.isFinite(value) && significantDigits(literal) === significantDigits(String(value))
}

/** The digits of a number without the zeros at either end: none for zero. */
function significantDigits(literal: string): string {
  const digits = literal.replace(/[eE].*/, '').replace(/[-.]/g, '')
  // Loops, because /0+$/ takes quadratic time on a long run of zeros inside a number.
  let start = 0
  let end = digits.length
  while (digits[start] === '0') start++
  while (digits[end - 1] === '0') end--
  return digits.slice(start, end)
}
