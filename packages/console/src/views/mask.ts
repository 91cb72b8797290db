import { ConfigurationError } from 'webhook-inbox'

/** Paths, or a function that returns what to show for the value at a path; the same value to show it as it is. */
export type Mask = readonly string[] | ((path: string, value: unknown) => unknown)

/** What stands for a masked value. */
export const masked = '•••'

/** Throws `ConfigurationError` `invalid_option` for anything but a mask. */
export function resolveMask(mask: unknown): ((path: string, value: unknown) => unknown) | undefined {
  if (mask === undefined || typeof mask === 'function') {
    return mask as ((path: string, value: unknown) => unknown) | undefined
  }
  if (!Array.isArray(mask) || !mask.every((path) => typeof path === 'string' && path !== '')) {
    throw new ConfigurationError('invalid_option', 'mask must be a list of paths, or a function')
  }
  const patterns = mask.map((path: string) => path.split('.').map(plain))
  return (path, value) => {
    const parts = path.split('.').map(plain)
    return patterns.some((pattern) => covers(pattern, parts)) ? masked : value
  }
}

/** `phoneNumber` and `phone_number` are one field in the two envelopes of the service. */
const plain = (key: string) => key.replaceAll('_', '').toLowerCase()

const covers = (pattern: readonly string[], path: readonly string[]) =>
  pattern.length === path.length && pattern.every((part, i) => part === '*' || part === path[i])
