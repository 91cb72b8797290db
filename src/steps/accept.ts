import type { Inbox } from '../dedupe/inbox.js'
import { Deadline } from '../dispatch/deadline.js'
import type { ReadEvent } from '../event/parse.js'
import type { Queue } from '../queue/queue.js'
import { acknowledge, decline, type ReceiveResult } from '../result.js'
import type { Pipeline } from '../settings.js'
import { fitData, toFailure } from './act.js'
import { eventRef } from './event-ref.js'
import { setAside } from './set-aside.js'

/** Commits the event to the inbox together with its job; a worker runs it later. */
export async function accept(
  pipeline: Pipeline,
  inbox: Inbox<unknown>,
  queue: Queue,
  read: ReadEvent,
): Promise<ReceiveResult> {
  let isStoreAwaited = false

  async function commit(): Promise<ReceiveResult> {
    const event = await fitData(pipeline, read)
    isStoreAwaited = true
    await pipeline.ready()
    const ref = await eventRef(pipeline, event)
    const resource = pipeline.resource?.(event)
    const job = {
      key: ref.key,
      type: ref.type,
      endpoint: ref.endpoint,
      generation: 0,
      ...(resource !== undefined && { resource }),
    }
    const outcome = await inbox.accept(ref, (tx) => queue.enqueue(job, tx))
    if (outcome.state === 'accepted') {
      queue.committed?.()
      return acknowledge('accepted', read)
    }
    if (outcome.state === 'busy') {
      return decline('in_progress', { ...read, retryAfterSeconds: outcome.retryAfterSeconds })
    }
    return outcome.contentHash === ref.contentHash
      ? acknowledge('duplicate', read)
      : setAside(pipeline, 'event_id_conflict', ref.body, read)
  }

  return new Deadline(pipeline.handlerTimeoutSeconds).race(
    commit().catch((error: unknown) => toFailure(pipeline, error, read)),
    () => decline(isStoreAwaited ? 'store_unavailable' : 'handler_timeout', read),
  )
}
