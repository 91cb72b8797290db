/** What `JSON.parse` hides: it keeps the last of two equal keys, and rounds numbers. */
export interface JsonScan {
  /** Whether a key of the top-level object is repeated. */
  readonly repeatsAtTop: boolean
  /** Paths of the repeated keys of nested objects. At most the first twenty. */
  readonly repeatedKeys: ReadonlySet<string>
  /** The numbers that JavaScript cannot represent exactly. */
  readonly inexact: readonly NumberInText[]
}

/** A number of the text. */
export interface NumberInText {
  readonly literal: string
  /** Its index in the text. */
  readonly start: number
}

const quote = 0x22
const dash = 0x2d
const nine = 0x39
const colon = 0x3a
const backslash = 0x5c
const letterE = 0x65

/**
 * Whether valid JSON has exactly this number of keys, and no number that could have been rounded. JavaScript represents
 * every number of up to 15 significant digits exactly.
 */
export function isPlain(json: Uint8Array, keys: number): boolean {
  let colons = 0
  let digits = 0
  // Bytes, because reading the characters of a string takes twice as long.
  // Stryker disable next-line EqualityOperator: beyond the end there is no byte
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number
    if (byte === quote) {
      // Stryker disable next-line EqualityOperator: a string ends before the text does
      while (++i < json.length && json[i] !== quote) {
        if (json[i] === backslash) {
          i++
        }
      }
    } else if (byte >= dash && byte <= nine) {
      if (++digits > 15) {
        return false
      }
    } else {
      // Matches both `e` and `E`.
      if (digits > 0 && (byte | 0x20) === letterE) {
        return false
      }
      if (byte === colon) {
        colons++
      }
      digits = 0
    }
  }
  return colons === keys
}

const mostRepeated = 20

/** The longest path that is kept, in characters. Without a limit, nested long keys take quadratic time. */
const longestPath = 300

/** An open object or array. */
interface Level {
  readonly keys: Set<string>
  readonly path: string
}

/** Scans the text of a valid JSON object in linear time. */
export function scanJson(text: string): JsonScan {
  const open: Level[] = []
  const repeatedKeys = new Set<string>()
  let repeatsAtTop = false
  const inexact: NumberInText[] = []
  /** The keys that lead to the current value, each followed by a dot. */
  let path = ''
  let stringStart = 0
  // Stryker disable next-line EqualityOperator: beyond the end there is no character, and so no token
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string
    if (character === '"') {
      stringStart = i
      while (text[++i] !== '"') {
        if (text[i] === '\\') {
          i++
        }
      }
    } else if (character === '{' || character === '[') {
      open.push({ keys: new Set(), path })
    } else if (character === '}' || character === ']') {
      path = (open.pop() as Level).path
    } else if (character === ':') {
      const object = open.at(-1) as Level
      const key: string = JSON.parse(text.slice(stringStart, i))
      if (object.keys.has(key)) {
        if (open.length === 1) {
          repeatsAtTop = true
        } else if (repeatedKeys.size < mostRepeated) {
          repeatedKeys.add(object.path + key)
        }
      }
      object.keys.add(key)
      path = `${object.path}${key}.`.slice(0, longestPath)
    } else if ('-0123456789'.includes(character)) {
      const start = i
      // There is always a next character, because the text ends with the brace of the object.
      while ('-+.eE0123456789'.includes(text[i + 1] as string)) {
        i++
      }
      const literal = text.slice(start, i + 1)
      if (!isExact(literal)) {
        inexact.push({ literal, start })
      }
    }
  }
  return { repeatsAtTop, repeatedKeys, inexact }
}

/**
 * Whether JavaScript represents a JSON number exactly: printing the parsed number gives the same value. Comparing the
 * significant digits is enough, because rounding never changes a number by a factor of ten.
 */
export function isExact(literal: string): boolean {
  const value = Number(literal)
  return Number.isFinite(value) && significantDigits(literal) === significantDigits(String(value))
}

/** The digits of a number without leading and trailing zeros. Empty for zero. */
function significantDigits(literal: string): string {
  const digits = literal.replace(/[eE].*/, '').replace(/[-.]/g, '')
  // Loops, because /0+$/ takes quadratic time on a long run of zeros inside a number.
  let start = 0
  let end = digits.length
  while (digits[start] === '0') {
    start++
  }
  while (digits[end - 1] === '0') {
    end--
  }
  return digits.slice(start, end)
}
