import type { Job } from '../../src/queue/queue.js'
import type { EventRef } from '../../src/store/event-ref.js'
import type { StoredEvent } from '../../src/store/inbox.js'
import { pause } from '../../src/testing/laws.js'
import type { Parts, QueueFault } from './queue-fault.js'

const audit = { reason: 'a fault', actor: 'queue' }
const noJob = async () => {}

const replay = ({ inbox }: Parts, { key }: { readonly key: string }) => inbox.requeue(key, audit, noJob)

/** Is true once for each key, for so many keys. */
function isFirst(most: number) {
  const seen = new Set<string>()
  return ({ key }: Job) => !seen.has(key) && seen.size < most && seen.add(key) !== undefined
}

/** The queue takes no job. */
export const takesNoJob: QueueFault = { queue: () => ({ consume: async () => async () => {} }) }

/** So many events run again when they are done. */
export function runsTwice(most = Number.POSITIVE_INFINITY): QueueFault {
  const first = isFirst(most)
  return {
    worker: ({ run }, parts) => ({
      async run(job, ...more) {
        await run(job, ...more)
        if (first(job)) {
          await replay(parts, job)
        }
      },
    }),
  }
}

/** The searches never find the event that they found first. */
export function losesOne(): QueueFault {
  let lost: string | undefined
  return {
    inbox: (inbox) => ({
      async due(...args) {
        const found = await inbox.due(...args)
        lost ??= found[0]?.key
        return found.filter(({ key }) => key !== lost)
      },
    }),
  }
}

/** The queue runs an event again when it gets this job. */
export const replaysFor = (isOne: (job: Job, count: number) => boolean): QueueFault => {
  const counts = new Map<string, number>()
  return {
    queue: (parts) => ({
      committed(job) {
        const count = (counts.get(job.key) ?? 0) + 1
        counts.set(job.key, count)
        if (isOne(job, count)) {
          void pause(0.2).then(() => replay(parts, job))
        }
        parts.queue.committed?.(job)
      },
    }),
  }
}

/** An event that is read is another one than the store keeps. */
export const reads = (change: (stored: StoredEvent) => object): QueueFault => ({
  inbox: (inbox) => ({
    async read(key) {
      const stored = await inbox.read(key)
      return stored && { ...stored, ...change(stored) }
    },
  }),
})

/** The store forgets the resource of an event. */
export const ignoresResources: QueueFault = {
  inbox: (inbox) => ({
    accept: ({ resource: _, ...event }, enqueue) => inbox.accept(event, enqueue),
  }),
}

/** Of events of one resource the later ones wait until the first is done, and then run backwards. */
export function runsBackwards(): QueueFault {
  let first: EventRef | undefined
  const later = new Set<string>()
  return {
    inbox: (inbox) => ({
      accept(event, enqueue) {
        const { resource, ...rest } = event
        first ??= event
        if (event !== first && resource === first.resource) {
          later.add(event.key)
        }
        return inbox.accept(rest, enqueue)
      },
      async due(...args) {
        const isDone = first !== undefined && (await inbox.read(first.key))?.state === 'done'
        const found = await inbox.due(...args)
        return found.filter(({ key }) => isDone || !later.has(key)).toReversed()
      },
    }),
  }
}

/** As soon as an event has failed, the searches find no other until it is done. */
export function runsOnlyFailed(): QueueFault {
  let failed: string | undefined
  return {
    worker: ({ run }) => ({
      async run(job, ...more) {
        try {
          await run(job, ...more)
        } catch (error) {
          failed ??= job.key
          throw error
        }
        failed = failed === job.key ? undefined : failed
      },
    }),
    inbox: (inbox) => ({
      async due(...args) {
        const found = await inbox.due(...args)
        return failed === undefined ? found : found.filter(({ key }) => key === failed)
      },
    }),
  }
}

/** The jobs of all processes run one after the other. */
export function oneAtATime(): Pick<QueueFault, 'worker'> {
  let last: Promise<void> = Promise.resolve()
  return {
    worker: ({ run }) => ({
      run(job, ...more) {
        const ended = last.then(() => run(job, ...more))
        last = ended.catch(() => {})
        return ended
      },
    }),
  }
}

/** A stop that does something else than the right one. */
export const stops = (
  stop: (right: () => Promise<void>, consume: () => Promise<unknown>, parts: Parts) => Promise<void>,
): QueueFault => ({
  queue: (parts) => ({
    async consume(worker, inbox) {
      const right = await parts.queue.consume(worker, inbox)
      return () => stop(right, () => parts.queue.consume(worker, inbox), parts)
    },
  }),
})
