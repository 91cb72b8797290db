import { sha256 } from '#crypto'
import { ConfigurationError } from '../errors.js'

/** Throws where a name given for a queue holds what an engine may not allow, or what {@link queueName} adds. */
export function checkQueueName(name: unknown): void {
  if (typeof name === 'string' && /^[\w-]{1,64}$/.test(name)) return
  throw new ConfigurationError('invalid_option', 'name must be 1 to 64 letters, digits, _ or -')
}

/**
 * The queue of an endpoint, which is one of its own: another endpoint has other handlers. Distinct endpoints have
 * distinct names, of letters, digits, `_`, `-` and `.` alone, of 200 characters at most.
 */
export async function queueName(name: string, endpoint: string): Promise<string> {
  const plain = endpoint.replace(/[^\w-]/gu, escapeCharacter)
  return `${name}.${plain.length <= 128 ? plain : `.${await sha256(endpoint)}`}`
}

const escapeCharacter = (character: string) =>
  Array.from(new TextEncoder().encode(character), (byte) => `.${byte.toString(16).padStart(2, '0')}`).join('')
