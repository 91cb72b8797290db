import { randomUUID } from 'node:crypto'
import { type LeaseStore, leaseStore, type Store } from 'webhook-inbox'

interface Row {
  attempt: number
  token?: string | undefined
  /** End of the lease, or of the retention once done, in unix milliseconds. */
  until: number
  done?: { contentHash: string; at: number }
}

/**
 * Four verbs over a backend with compare-and-set. Here it is a `Map`, in your service a table of your database. Each verb
 * must be atomic and use the clock of the backend. Here code without an `await` is atomic.
 */
export function mapLeases(rows: Map<string, Row>): LeaseStore {
  /** The row of a key while this token holds its claim. */
  function held(key: string, token: string): Row | undefined {
    const row = rows.get(key)
    return row && !row.done && row.token === token ? row : undefined
  }

  return {
    async claim(key, leaseSeconds) {
      const row = rows.get(key)
      const remaining = row ? row.until - Date.now() : 0
      if (row?.done && remaining > 0) {
        return { state: 'done', contentHash: row.done.contentHash }
      }
      if (row?.token && !row.done && remaining > 0) {
        return { state: 'leased', remainingSeconds: remaining / 1000 }
      }
      const attempt = (row?.attempt ?? 0) + 1
      const token = randomUUID()
      rows.set(key, { attempt, token, until: Date.now() + leaseSeconds * 1000 })
      return { state: 'claimed', token, attempt }
    },
    async extend(key, token, leaseSeconds) {
      const row = held(key, token)
      if (row) {
        row.until = Date.now() + leaseSeconds * 1000
      }
      return row !== undefined
    },
    async complete(key, token, contentHash, retentionSeconds) {
      const row = rows.get(key)
      if (row?.token !== token) {
        return false
      }
      row.done ??= { contentHash, at: Date.now() }
      row.until = row.done.at + retentionSeconds * 1000
      return true
    },
    async release(key, token) {
      const row = held(key, token)
      if (row) {
        row.token = undefined
      }
      return row !== undefined
    },
    async check() {
      const lost = 'no, because the map dies with the process'
      return { store: 'map', scope: 'this process only', processCrash: lost, hostCrash: lost, runs: 'once' }
    },
    async prune(doneBefore, limit) {
      const old = [...rows]
        .filter(([, row]) => row.done && row.done.at < doneBefore.getTime() && row.until < Date.now())
        .slice(0, limit)
      for (const [key] of old) {
        rows.delete(key)
      }
      return old.length
    },
    async close() {},
  }
}

export const mapStore = (rows = new Map<string, Row>()): Store => leaseStore(mapLeases(rows))
