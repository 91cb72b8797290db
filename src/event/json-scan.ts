/** Details that `JSON.parse` does not report: duplicate keys, of which it keeps the last, and rounded numbers. */
export interface JsonScan {
  /** Whether a key of the top-level object is repeated. */
  readonly repeatsAtTop: boolean
  /** Paths of the repeated keys of nested objects. At most the first twenty. */
  readonly repeatedKeys: ReadonlySet<string>
  /** The numbers that JavaScript cannot represent exactly. */
  readonly inexact: readonly NumberInText[]
}

/** A number in the JSON text. */
export interface NumberInText {
  readonly literal: string
  /** Its index in the text. */
  readonly start: number
}

const quote = 0x22
const dash = 0x2d
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const letterE = 0x65
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether valid JSON has exactly this number of keys, and no number that could have been rounded. JavaScript represents
 * every number of up to 15 significant digits exactly.
 */
export function isPlain(json: Uint8Array, keys: number): boolean {
  let colons = 0
  let digits = 0
  // Bytes, because reading the characters of a string takes twice as long.
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number
    if (byte === quote) {
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

/** Maximum number of duplicate keys to examine. Without a limit, a body of equal keys would build one path many times. */
const mostLookedAt = 1000

/** The longest path that is kept, in characters. */
const longestPath = 300

/** An open object or array. */
interface Level {
  /** The keys of an object so far. */
  readonly keys: Set<string>
  /** The key that leads to the current value of an object. */
  key?: string
}

/** Scans the text of a valid JSON object in linear time. */
export function scanJson(text: string): JsonScan {
  const open: Level[] = []
  const repeatedKeys = new Set<string>()
  let repetitions = 0
  let repeatsAtTop = false
  const inexact: NumberInText[] = []
  let stringStart = 0
  let stringEnd = 0
  let isEscaped = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      stringStart = i
      isEscaped = false
      while (text.charCodeAt(++i) !== quote) {
        if (text.charCodeAt(i) === backslash) {
          isEscaped = true
          i++
        }
      }
      stringEnd = i
    } else if (code === openBrace || code === openBracket) {
      open.push({ keys: new Set() })
    } else if (code === closeBrace || code === closeBracket) {
      open.pop()
    } else if (code === colon) {
      const object = open.at(-1) as Level
      const key: string = isEscaped
        ? JSON.parse(text.slice(stringStart, stringEnd + 1))
        : text.slice(stringStart + 1, stringEnd)
      if (!object.keys.has(key)) {
        object.keys.add(key)
      } else if (open.length === 1) {
        repeatsAtTop = true
      } else if (repeatedKeys.size < mostRepeated && repetitions++ < mostLookedAt) {
        repeatedKeys.add(pathTo(open) + key)
      }
      object.key = key
    } else if (isOfNumber(code)) {
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

/** The keys that lead to the innermost object, each followed by a dot. */
function pathTo(open: readonly Level[]): string {
  const keys = open
    .slice(0, -1)
    .flatMap(({ key }) => (key === undefined ? [] : `${key.slice(0, longestPath)}.`))
  return keys.join('').slice(0, longestPath)
}

/** Whether a number can begin with a character. */
const isOfNumber = (code: number) => code === dash || (code >= zero && code <= nine)

/**
 * Whether JavaScript represents a JSON number exactly: printing the parsed number gives the same value. Comparing the
 * significant digits is enough, because rounding never changes a number by a factor of ten.
 */
export function isExact(literal: string): boolean {
  // Every number of up to 15 digits is exact, and the comparison below takes ten times as long.
  if (literal.length <= 15 && !/[eE]/.test(literal)) {
    return true
  }
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
