import { oneLine } from '../codes.js'
import type { NumberInText } from './json-scan.js'

/** Valid JSON with these numbers as text. */
export function withNumbersAsText(json: string, numbers: readonly NumberInText[]): string {
  let spelled = ''
  let end = 0
  for (const { start, literal } of numbers) {
    spelled += `${json.slice(end, start)}"${literal}"`
    end = start + literal.length
  }
  return spelled + json.slice(end)
}

/** The path of the first of these numbers in valid JSON, such as `data.amount`: one line, and never long. */
export function placeOf(json: string, numbers: readonly NumberInText[]): string {
  const place = firstDifference(JSON.parse(json), JSON.parse(withNumbersAsText(json, numbers)))
  // A key that is given twice has only its last value.
  return oneLine(place?.replace(/^\./, '') ?? 'a number', 200)
}

/** Where a number of the first value is a string in the second one. An event is never too deep for this. */
function firstDifference(before: unknown, after: unknown): string | undefined {
  if (typeof before !== 'object' || before === null) {
    return typeof before === typeof after ? undefined : ''
  }
  for (const [name, value] of Object.entries(before)) {
    const place = firstDifference(value, (after as Record<string, unknown>)[name])
    if (place !== undefined) {
      return `${Array.isArray(before) ? `[${name}]` : `.${name}`}${place}`
    }
  }
  return undefined
}
