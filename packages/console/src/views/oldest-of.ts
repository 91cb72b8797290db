import { setImmediate } from 'node:timers/promises'
import type { Receiver, StoredEvent } from 'webhook-inbox'

type Filter = NonNullable<Parameters<Receiver['list']>[0]>

/** How many events one query of the store reads. */
const batch = 500

/** Up to `most` events, the oldest first. In parts, because the process also serves deliveries. */
export async function oldestOf(receiver: Receiver, where: Filter, most: number): Promise<StoredEvent[]> {
  const found: StoredEvent[] = []
  for (;;) {
    const limit = Math.min(batch, most - found.length)
    const part = await receiver.list({ ...where, limit, after: found.at(-1)?.key, bodies: false })
    found.push(...part)
    if (part.length < limit || found.length === most) {
      return found
    }
    await setImmediate()
  }
}
