import { secondsOf } from './seconds.js'

/** Reads a file that a flag names, as UTF-8. */
export type ReadFile = (path: string) => string

/** Each function here turns the text of a flag into the value of its option. The option rejects an invalid value. */

/** `NaN` for a text that is not a number. */
export const asNumber = (text: string): number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN)

/** `10/s`, or `10`. */
export const asRate = (text: string): number => asNumber(text.replace(/\/s$/, ''))

export const asList = (text: string): string[] => text.split(',').map((part) => part.trim())

export const asEnvelope = (text: string): string =>
  ({ camel: 'camelCase', snake: 'snake_case' })[text] ?? text

/** The name of a schedule, or pauses such as `1s,5s`. */
export const asRetry = (text: string): string | number[] =>
  /^[a-z]+$/.test(text) ? text : asList(text).map(secondsOf)

/** The JSON in a file; `null`, which no option takes, if there is none. */
export function asJson(path: string, readFile: ReadFile): unknown {
  try {
    return JSON.parse(readFile(path))
  } catch {
    return null
  }
}
