import { HandlerFailure } from '../errors.js'
import type { WebhookEvent } from '../event/event.js'
import type { Pipeline } from '../options/settings.js'
import type { Queue } from '../queue/queue.js'
import { acknowledge, type ReceiveResult, reject } from '../result.js'
import type { Inbox } from '../store/inbox.js'
import type { Deadline } from '../timing/deadline.js'
import { answerInTime } from './answer-in-time.js'
import type { Authentic } from './authentic.js'
import { identify } from './identify.js'
import { quarantine } from './quarantine.js'

/**
 * Commits the event to the inbox together with its job; a worker runs it later. Schemas are the worker’s to hold it to:
 * an event that does not fit one is then kept, listed as dead in the end, and can be replayed when the schema is mended.
 */
export function accept(
  pipeline: Pipeline,
  inbox: Inbox<unknown>,
  queue: Queue,
  read: Authentic,
  deadline: Deadline,
): Promise<ReceiveResult> {
  async function commit(): Promise<ReceiveResult> {
    const identified = await identify(pipeline, read)
    const resource = resourceOf(pipeline, read.event)
    await pipeline.ready()
    const ref = { ...identified, resource }
    const { key, type, endpoint } = ref
    const job = { key, type, endpoint, generation: 0, resource }
    const outcome = await inbox.accept(ref, queue.enqueue?.bind(queue, job))
    if (outcome.state === 'accepted') {
      queue.committed?.(job)
      return acknowledge('accepted', read)
    }
    if (outcome.state === 'busy') {
      return reject('in_progress', { ...read, retryAfterSeconds: outcome.retryAfterSeconds })
    }
    return outcome.contentHash === ref.contentHash
      ? acknowledge('duplicate', read)
      : quarantine(pipeline, 'event_id_conflict', read, deadline)
  }

  return answerInTime(pipeline, deadline, read, commit, () => reject('store_unavailable', read))
}

function resourceOf({ resource }: Pipeline, event: WebhookEvent): string | undefined {
  try {
    return resource?.(event)
  } catch (error) {
    throw new HandlerFailure(error, 'in resource()')
  }
}
