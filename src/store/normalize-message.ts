/** How many characters of a message are read, and how many are kept. */
const mostRead = 8192
const mostKept = 200

/** The placeholder for a value that differs between events. */
const placeholder = '*'

/**
 * Returns a message without the parts that differ between events: ids, numbers, times, addresses and quoted text. So all
 * messages with one cause are equal. Reads each character once, because data of a sender can be part of the message.
 */
export function normalizeMessage(message: string): string {
  const text = message.slice(0, mostRead)
  const isCut = message.length > mostRead
  /**
   * Quotes that do not occur in the rest of the text. Without this, a text full of quotes would be searched once for
   * each quote.
   */
  const ended = new Set<string>()
  let normal = ''
  let previous = ''

  for (let at = 0; at < text.length && normal.length < mostKept; ) {
    const character = text[at] as string
    if (isWordPart(text.charCodeAt(at))) {
      const end = endOfWord(text, at)
      const word = text.slice(at, end)
      normal = isStatus(previous, word) || !isValue(word) ? normal + word : withPlaceholder(normal)
      previous = word
      at = end
      continue
    }
    const close = quotes[character]
    if (close !== undefined && !ended.has(close)) {
      const end = text.indexOf(close, at + 1)
      if (end >= 0 || (isCut && close !== "'")) {
        normal = withPlaceholder(normal)
        at = end < 0 ? text.length : end + 1
        continue
      }
      ended.add(close)
    }
    if (character > ' ') {
      normal += character
    } else if (normal !== '' && !normal.endsWith(' ')) {
      normal += ' '
    }
    at++
  }
  return normal.slice(0, mostKept).trim()
}

const quotes: Readonly<Record<string, string>> = {
  __proto__: null as never,
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '«': '»',
}

/** A list of values has one placeholder, however long it is. */
function withPlaceholder(normal: string): string {
  const before = normal.slice(-4)
  const at = before.lastIndexOf(placeholder)
  const isAfterAnother = at >= 0 && /^[\s,;:.|/]*$/.test(before.slice(at + 1))
  return isAfterAnother ? normal.slice(0, normal.length - before.length + at + 1) : normal + placeholder
}

const isDigit = (code: number) => code >= 48 && code <= 57
const isUpper = (code: number) => code >= 65 && code <= 90
const isLower = (code: number) => code >= 97 && code <= 122

/** Letters, digits, the underscore, and all characters beyond ASCII except spaces. */
function isWordPart(code: number): boolean {
  if (code < 128) {
    return isDigit(code) || isUpper(code) || isLower(code) || code === 95
  }
  return code > 160 && !'\u2028\u2029\u3000“”«»'.includes(String.fromCharCode(code))
}

/** Characters that join parts to one word, such as those of a UUID, an email address or a path. */
const connectors = "-.@/+%#~$'"

function endOfWord(text: string, from: number): number {
  let end = from + 1
  while (end < text.length) {
    if (isWordPart(text.charCodeAt(end))) {
      end++
    } else if (connectors.includes(text[end] as string) && isWordPart(text.charCodeAt(end + 1))) {
      end += 2
    } else {
      break
    }
  }
  return end
}

/** An HTTP status distinguishes causes, and there are few of them. */
function isStatus(previous: string, word: string): boolean {
  return /^[1-5]\d\d$/.test(word) && /^(?:status|code|http)$/i.test(previous)
}

/** Whether a word is an id, a number or an address, and not a word of a language or of a program. */
function isValue(word: string): boolean {
  return word.includes('@') || /\d/.test(word) || word.split(/[^A-Za-z]/).some(isRandom)
}

/** Whether letters look like a hexadecimal or a random id that happens to contain no digit. */
function isRandom(letters: string): boolean {
  if (letters.length < 16) {
    return letters.length >= 8 && /^(?:[a-f]+|[A-F]+)$/.test(letters)
  }
  const humps = letters.match(/[a-z][A-Z]/g)?.length ?? 0
  return humps === 0 || humps * 4 > letters.length
}
