import { masked } from './mask.js'

/** A text of this length may have been cut. */
const cutLength = 200
/** So many characters of a value at least are hidden. Shorter beginnings occur in most texts. */
const leastShown = 4
/** The maximum cost of one text: its length, multiplied by the number of values. A sender controls both. */
const mostCost = 4_000_000

/** Hides the beginning of a value where the text was cut: at its end, or before an ellipsis. */
export function hideCut(text: string, values: readonly string[]): string {
  if (text.length < cutLength && !text.includes('…')) {
    return text
  }
  const plain = lowerCase(text)
  const beginnings = values
    .map((value) => lowerCase(value.slice(0, text.length)))
    .filter((value) => value.length >= leastShown && plain.includes(value.slice(0, leastShown)))
  if (beginnings.length * text.length > mostCost) {
    return masked
  }
  const lengthsOf = beginnings.map(beginningAtEnd)
  return text.replace(/[^…]+/g, (part, from: number) => {
    const end = plain.slice(from, from + part.length)
    const length = lengthsOf.reduce((longest, lengthOf) => Math.max(longest, lengthOf(end)), 0)
    return length < leastShown ? part : part.slice(0, part.length - length) + masked
  })
}

/**
 * In lower case, character for character: some characters would become two, and every later place would be wrong. The small sigma
 * has another form at the end of a text, so also where it was cut.
 */
function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return (lower.length === text.length ? lower : text.replace(/./gsu, sameLength)).replaceAll('ς', 'σ')
}

function sameLength(character: string): string {
  const lower = character.toLowerCase()
  return lower.length === character.length ? lower : character
}

/**
 * Returns a function that tells how many of the first characters of a value a text ends with. It reads each character once
 * (Knuth, Morris and Pratt), because a text of one repeated character would otherwise be compared at each place.
 */
function beginningAtEnd(value: string): (text: string) => number {
  /** For each length of a beginning, the length of the next shorter beginning with which it ends. */
  const shorter = new Uint32Array(value.length + 1)
  /** The beginning that a text ends with after one more character. */
  function next(length: number, character: number): number {
    let known = length
    while (known > 0 && (known === value.length || value.charCodeAt(known) !== character)) {
      known = shorter[known] as number
    }
    return value.charCodeAt(known) === character ? known + 1 : 0
  }
  for (let at = 1; at < value.length; at++) {
    shorter[at + 1] = next(shorter[at] as number, value.charCodeAt(at))
  }
  return (text) => {
    let length = 0
    for (let at = 0; at < text.length; at++) {
      length = next(length, text.charCodeAt(at))
    }
    return length
  }
}
