/** What `JSON.parse` does not tell: it keeps the last of two equal keys and rounds numbers, silently. */
export interface JsonScan {
  /** A key that the top-level object holds twice. */
  readonly duplicateKey?: string | undefined
  /** The first number that a double cannot hold, as written. */
  readonly inexactNumber?: string | undefined
}

/** Up to 15 significant digits survive a double whatever they are; only these shapes need a closer look. */
const longNumber = /\d[\d.]{15}|\d[eE][+-]?\d/

/** The two escapes that can write a character which may also stand for itself, and so one key in two ways. */
const keyInDisguise = /\\[u/]/

/** Each key costs a search through the text; a body with more of them is not worth the shortcut. */
const fewKeys = 32

/** Looks through the text of a top-level object that `JSON.parse` has accepted, in linear time. */
export function scanJson(text: string, topLevelKeys: readonly string[]): JsonScan {
  return isPlain(text, topLevelKeys) ? {} : scanTokens(text)
}

/** Whether native searches show that there is nothing to find: they do for nearly every body, at a tenth of the cost. */
export function isPlain(text: string, topLevelKeys: readonly string[]): boolean {
  return (
    topLevelKeys.length <= fewKeys &&
    !keyInDisguise.test(text) &&
    !longNumber.test(text) &&
    topLevelKeys.every((key) => occursOnce(text, key))
  )
}

function occursOnce(text: string, key: string): boolean {
  // Such a key is written otherwise than it reads, and what it reads like may stand elsewhere.
  if (key.includes('\\')) return false
  const quoted = `"${key}"`
  const first = text.indexOf(quoted)
  return first !== -1 && first === text.lastIndexOf(quoted)
}

function scanTokens(text: string): JsonScan {
  const keys = new Set<string>()
  let duplicateKey: string | undefined
  let inexactNumber: string | undefined
  let depth = 0
  // Stryker disable next-line EqualityOperator: beyond the end there is no character, and so no token
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string
    if (character === '"') {
      const end = endOfString(text, i)
      if (depth === 1 && isFollowedByColon(text, end)) {
        const key: string = JSON.parse(text.slice(i, end))
        if (keys.has(key)) duplicateKey ??= key
        keys.add(key)
      }
      i = end - 1
    } else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if ('-0123456789'.includes(character)) {
      const start = i
      // The object is closed, so that there is a next character always.
      while ('-+.eE0123456789'.includes(text[i + 1] as string)) i++
      const literal = text.slice(start, i + 1)
      if (!isExact(literal)) inexactNumber ??= literal
    }
  }
  return { duplicateKey, inexactNumber }
}

/** The position after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, position: number): boolean {
  let backslashes = 0
  while (text[position - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

function isFollowedByColon(text: string, position: number): boolean {
  let i = position
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++
  return text[i] === ':'
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
