import { codes } from 'webhook-inbox'
import { masked } from './mask.js'

const className = /^[A-Za-z]{0,50}(?:Error|Exception)$/

/**
 * The code and the class of an error, without its message. For an error, or the title of a group, of which it is not known what
 * to hide. Other words before a colon may be a value.
 */
export function errorClass(text: string): string {
  const parts = text.split(': ')
  const isCode = Object.hasOwn(codes, parts[0] ?? '')
  const isClass = className.test(parts[isCode ? 1 : 0] ?? '')
  const shown = parts.slice(0, Number(isCode) + Number(isClass))
  return shown.length === parts.length ? text : [...shown, masked].join(': ')
}
