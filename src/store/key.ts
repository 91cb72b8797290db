import { sha256 } from '#crypto'

/**
 * The key under which an event is remembered. Hashing makes every id safe for every store, and the zero byte keeps
 * endpoint and id apart: no endpoint name contains one.
 */
export function dedupeKey(endpoint: string, id: string): string | Promise<string> {
  return sha256(`${endpoint}\0${id}`)
}
