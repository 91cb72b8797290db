import type { Job } from '../queue/queue.js'
import type { EventRef } from '../store/event-ref.js'
import { priorityOf } from './priority.js'

/** The job of an event: of its first run, or of the replay with this generation. */
export const jobOf = (
  settings: Parameters<typeof priorityOf>[0],
  { key, type, endpoint, resource }: Pick<EventRef, 'key' | 'type' | 'endpoint' | 'resource'>,
  generation = 0,
): Job => ({ key, type, endpoint, generation, resource, priority: priorityOf(settings, type) })
