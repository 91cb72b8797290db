import type { ListQuery, Receiver, StoredEvent } from 'webhook-inbox'

/** How many events one query of the store reads. */
const batch = 100
/** How many bytes of bodies are in memory at the same time, unless one body is larger. */
const mostBytes = 2 * 1024 * 1024

/**
 * The events that match, with their bodies. A body may be as large as `maxBodyBytes` allows, so it asks for the sizes first, and
 * then for as many bodies as fit into memory.
 */
export async function* withBodies(receiver: Receiver, query: ListQuery): AsyncGenerator<StoredEvent> {
  let { after } = query
  for (;;) {
    const sizes = await receiver.list({ ...query, after, limit: batch, bodies: false })
    const limit = howManyFit(sizes)
    if (limit === 0) {
      return
    }
    const events = await receiver.list({ ...query, after, limit })
    yield* events
    after = events.at(-1)?.key
    if (after === undefined || (sizes.length < batch && limit === sizes.length)) {
      return
    }
  }
}

/** At least one, if there is one. */
function howManyFit(sizes: readonly StoredEvent[]): number {
  let bytes = 0
  const tooMany = sizes.findIndex(({ body, bodyBytes = body.byteLength }, index) => {
    bytes += bodyBytes
    return index > 0 && bytes > mostBytes
  })
  return tooMany < 0 ? sizes.length : tooMany
}
