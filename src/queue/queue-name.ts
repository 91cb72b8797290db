import { sha256 } from '#crypto'
import { ConfigurationError } from '../errors.js'

/** Throws `ConfigurationError` if a name has characters that an engine may reject, or that {@link queueName} uses. */
export function checkQueueName(name: unknown): void {
  if (typeof name === 'string' && /^[\w-]{1,64}$/.test(name)) {
    return
  }
  throw new ConfigurationError('invalid_option', 'name must be 1 to 64 letters, digits, _ or -')
}

/**
 * The name of the queue of an endpoint. Each endpoint has its own queue, since its handlers differ. Names contain only
 * letters, digits, `_`, `-` and `.`, have at most 200 characters, and differ for different endpoints.
 */
export async function queueName(name: string, endpoint: string): Promise<string> {
  const plain = endpoint.replace(/[^\w-]/gu, escapeCharacter)
  return `${name}.${plain.length <= 128 ? plain : `.${await sha256(endpoint)}`}`
}

const escapeCharacter = (character: string) =>
  Array.from(new TextEncoder().encode(character), (byte) => `.${byte.toString(16).padStart(2, '0')}`).join('')
