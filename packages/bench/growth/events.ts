import { randomUUID } from 'node:crypto'
import type { EventRef } from '../../../src/store/event-ref.js'
import { bodyOf } from '../harness/bodies.js'

export const body = bodyOf(1000)
export const contentHash = 'f'.repeat(64)
const run = randomUUID()
let count = 0

/** Returns an event with this key, by default a key that no store has seen. */
export function newEvent(key = `${run}${++count}`.padStart(64, '0')): EventRef {
  const durations = { leaseSeconds: 60, retentionSeconds: 90 * 86_400, workSeconds: 10, waitSeconds: 2 }
  const [type, createdAt] = ['transfer.settled', '2026-01-02T03:04:05Z']
  return { key, contentHash, durations, endpoint: 'default', id: 'evt_1', type, createdAt, body }
}

export const nothing = async () => {}

/** Formats a count, for example `100 k`. */
export const size = (count: number) => (count < 1e6 ? `${count / 1e3} k` : `${count / 1e6} M`)
