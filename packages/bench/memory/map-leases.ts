import { randomUUID } from 'node:crypto'

/** The work of the memory store done with a Map of objects, ordered by the time they were done. */
export function mapLeases(maxEvents: number) {
  const leases = new Map<string, { attempt: number; token: string; until: number }>()
  const done = new Map<string, { token: string; contentHash: string; at: number; until: number }>()
  /** One iterator for all evictions: a new one would first skip every hole that earlier evictions left. */
  let oldest: Iterator<string> | undefined
  const now = () => Date.now() / 1000
  return {
    async claim(key: string, leaseSeconds: number) {
      const known = done.get(key)
      if (known && known.until > now()) {
        return { state: 'done' as const, contentHash: known.contentHash }
      }
      const previous = leases.get(key)
      if (previous && previous.until > now()) {
        return { state: 'leased' as const }
      }
      const attempt = (previous?.attempt ?? 0) + 1
      const token = `${attempt}:${randomUUID()}`
      leases.set(key, { attempt, token, until: now() + leaseSeconds })
      return { state: 'claimed' as const, token, attempt }
    },
    async complete(key: string, token: string, contentHash: string, retentionSeconds: number) {
      if (leases.get(key)?.token !== token) {
        return done.get(key)?.token === token
      }
      leases.delete(key)
      done.delete(key)
      if (done.size >= maxEvents) {
        oldest ??= done.keys()
        done.delete(oldest.next().value as string)
      }
      done.set(key, { token, contentHash, at: now(), until: now() + retentionSeconds })
      return true
    },
  }
}
