import { sha256 } from '#crypto'

/**
 * The key of an event in a store. Hashing makes every id safe for every store. No endpoint name contains a zero
 * byte, so endpoint and id cannot be confused.
 */
export function dedupeKey(endpoint: string, id: string): string | Promise<string> {
  return sha256(`${endpoint}\0${id}`)
}
