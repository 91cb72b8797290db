import { oneLine } from '../codes.js'
import { scanJson } from '../event/json-scan.js'

/** Where valid JSON has its first number that JavaScript cannot represent exactly, such as `data.amount`. */
export function inexactPlace(text: string): string {
  let spelled = ''
  let end = 0
  for (const { start, literal } of scanJson(text).inexact) {
    spelled += `${text.slice(end, start)}"${literal}"`
    end = start + literal.length
  }
  const place = firstDifference(JSON.parse(text), JSON.parse(spelled + text.slice(end)))
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
