import { contentHash } from '../event/content-hash.js'
import type { ReadEvent } from '../event/parse.js'
import type { Settings } from '../options/settings.js'
import type { EventRef } from '../store/event-ref.js'
import { dedupeKey } from '../store/key.js'
import { type Awaitable, isPending } from '../timing/awaitable.js'

/** The event as a store sees it. Call it before any code of the user sees the event. */
export function identify({ endpoint, durations }: Settings, read: ReadEvent): Awaitable<EventRef> {
  const { id, type, createdAt, raw: body } = read.event
  const refer = (key: string, contentHash: string): EventRef => {
    return { key, contentHash, durations, endpoint, id, type, createdAt, body }
  }
  const key = dedupeKey(endpoint, id)
  const hash = contentHash(read)
  return isPending(key) || isPending(hash)
    ? Promise.all([key, hash]).then((digests) => refer(...digests))
    : refer(key, hash)
}
