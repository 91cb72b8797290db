/** What a document that was read from JSON says about the text it was read from. */
export interface Extent {
  /** Characters of the shortest JSON that reads as this document; `NaN` where that is not known. */
  shortest: number
  /** Characters of the longest number in it. */
  longestNumber: number
}

/**
 * Whether the length of JSON shows that its document is all that it held, for the price of a few additions. The least
 * that `JSON.parse` can have dropped, the pair `"":0,`, takes five characters. A number that a double rounds takes
 * sixteen, or an exponent that leaves the range of doubles: six where zero comes out (`1e-324`), and what else comes out
 * has no length here. Where the text is not that much longer than the document needs, there was neither.
 */
export function isWhole(text: string, { shortest, longestNumber }: Extent): boolean {
  const rest = text.length - shortest
  return rest < 5 && longestNumber + rest < 16
}

/** Characters that a string, a number, `true`, `false` or `null` takes in JSON at least. */
export function leastOfScalar(value: unknown, extent: Extent): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'number') return value === false ? 5 : 4
  const length = leastOfNumber(value)
  extent.longestNumber = Math.max(extent.longestNumber, length)
  return length
}

/**
 * `String` writes the fewest digits that read as the same double, and no JSON takes fewer characters, but for what an
 * exponent can shorten: round thousands, and small fractions, which are left to a closer look.
 */
function leastOfNumber(value: number): number {
  if (value === 0) return 1
  const size = Math.abs(value)
  if (!(size >= 0.01 && size < 1e15)) return Number.NaN
  const digits = String(value)
  return value % 1000 === 0 ? digits.replace(/0+$/, 'e3').length : digits.length
}
