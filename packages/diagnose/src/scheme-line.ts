import type { SignatureScheme } from 'webhook-inbox'
import { requireAll } from './require-all.js'
import { defaultScheme } from './scheme.js'

/**
 * The line to paste into the options of `createReceiver`; `undefined` where the default scheme is meant. Throws
 * `ConfigurationError` `invalid_option` for anything but a scheme.
 */
export function schemeLine(scheme: SignatureScheme): string | undefined {
  requireAll([[typeof scheme === 'object' && scheme !== null, 'scheme must be an object']])
  const parts = Object.entries(defaultScheme)
    .map(([name, usual]) => [name, scheme[name as keyof SignatureScheme] ?? usual, usual] as const)
    .filter(([, value, usual]) => value !== usual)
  requireAll(parts.map(([name, value]) => [typeof value === 'string', `scheme.${name} must be a string`]))
  const pairs = parts.map(([name, value]) => `${name}: '${value}'`)
  return pairs.length === 0 ? undefined : `scheme: { ${pairs.join(', ')} },`
}
