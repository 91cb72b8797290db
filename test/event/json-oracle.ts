/**
 * A slow and obvious JSON parser that shares no code with the code under test. It follows RFC 8259 by recursive descent,
 * and keeps every pair and the text of every number.
 */
export type Json =
  | { kind: 'object'; pairs: [key: string, value: Json][] }
  | { kind: 'list'; items: Json[] }
  | { kind: 'number'; text: string }
  | { kind: 'other' }

export function readJson(text: string): Json {
  let at = 0
  const skip = () => {
    while (at < text.length && ' \n\r\t'.includes(text.charAt(at))) {
      at++
    }
  }
  const expect = (token: string) => {
    if (!text.startsWith(token, at)) {
      throw new SyntaxError(`${token} expected at ${at}`)
    }
    at += token.length
  }

  function value(): Json {
    skip()
    const start = text.charAt(at)
    if (start === '{') {
      return object()
    }
    if (start === '[') {
      return list()
    }
    if (start === '"') {
      string()
      return { kind: 'other' }
    }
    for (const word of ['true', 'false', 'null']) {
      if (!text.startsWith(word, at)) {
        continue
      }
      at += word.length
      return { kind: 'other' }
    }
    const number = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/.exec(text.slice(at))
    if (!number) {
      throw new SyntaxError(`a value expected at ${at}`)
    }
    at += number[0].length
    return { kind: 'number', text: number[0] }
  }

  function object(): Json {
    const pairs: [string, Json][] = []
    expect('{')
    skip()
    while (text.charAt(at) !== '}') {
      if (pairs.length > 0) {
        expect(',')
      }
      skip()
      const key = string()
      skip()
      expect(':')
      pairs.push([key, value()])
      skip()
    }
    expect('}')
    return { kind: 'object', pairs }
  }

  function list(): Json {
    const items: Json[] = []
    expect('[')
    skip()
    while (text.charAt(at) !== ']') {
      if (items.length > 0) {
        expect(',')
      }
      items.push(value())
      skip()
    }
    expect(']')
    return { kind: 'list', items }
  }

  function string(): string {
    expect('"')
    let result = ''
    while (text.charAt(at) !== '"') {
      const character = text.charAt(at++)
      if (character === '' || character < ' ') {
        throw new SyntaxError(`a string ends at ${at}`)
      }
      if (character !== '\\') {
        result += character
        continue
      }
      const escaped = text.charAt(at++)
      const simple: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
      if (escaped === 'u') {
        result += String.fromCharCode(Number.parseInt(text.slice(at, at + 4), 16))
        at += 4
      } else {
        result += simple[escaped] ?? escaped
      }
    }
    at++
    return result
  }

  const document = value()
  skip()
  if (at !== text.length) {
    throw new SyntaxError(`the end expected at ${at}`)
  }
  return document
}

/** The path of each repeated key, in order. */
export function repeatsOf(document: Json, path: readonly string[] = []): string[][] {
  if (document.kind === 'list') {
    return document.items.flatMap((item) => repeatsOf(item, path))
  }
  if (document.kind !== 'object') {
    return []
  }
  const seen: string[] = []
  return document.pairs.flatMap(([key, value]) => {
    const place = [...path, key]
    const repeats = seen.includes(key) ? [place] : []
    seen.push(key)
    return [...repeats, ...repeatsOf(value, place)]
  })
}

/** The text of every number, in order. */
export function numbersOf(document: Json): string[] {
  if (document.kind === 'number') {
    return [document.text]
  }
  if (document.kind === 'list') {
    return document.items.flatMap(numbersOf)
  }
  if (document.kind === 'object') {
    return document.pairs.flatMap(([, value]) => numbersOf(value))
  }
  return []
}

/**
 * Whether JavaScript prints the parsed literal as the same number. Uses exact arithmetic on integers: both numbers are
 * written as mantissa x 10^exponent.
 */
export function survives(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) {
    return false
  }
  const [a, b] = [fraction(literal), fraction(String(value))]
  if (a.mantissa === 0n || b.mantissa === 0n) {
    return a.mantissa === b.mantissa
  }
  // Equal numbers never differ this much. Without this check the power would not fit in memory.
  if (Math.abs(a.exponent - b.exponent) > 2000) {
    return false
  }
  const least = Math.min(a.exponent, b.exponent)
  const scaled = ({ mantissa, exponent }: typeof a) => mantissa * 10n ** BigInt(exponent - least)
  return scaled(a) === scaled(b)
}

function fraction(literal: string): { mantissa: bigint; exponent: number } {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  return { mantissa: BigInt(`${whole}${part}`) * (sign ? -1n : 1n), exponent: Number(power) - part.length }
}
