import { pause } from '../../src/testing/laws.js'
import type { LawFaults, QueueFault } from './queue-fault.js'
import { losesOne, replaysFor, runsTwice, stops, takesNoJob } from './queue-fault-kinds.js'

const error = new Error('a fault of the queue')

const atOnce = (change: number): QueueFault => ({
  settings: (given) => ({ ...given, concurrency: given.concurrency + change }),
})

/** Faults that the laws of running jobs: which, how often, and how many concurrently find. */
export const runFaults: Record<string, LawFaults> = {
  'a committed job runs, and its event is done': {
    found: {
      'a job runs twice': runsTwice(),
      'no delivery is accepted': { inbox: () => ({ accept: () => Promise.reject(error) }) },
    },
    never: { 'no job runs': takesNoJob, 'one of three does not run': losesOne() },
  },
  'a job committed before a consumer starts runs when it starts': {
    found: {
      'a delivery is a duplicate': {
        inbox: (inbox) => ({
          accept: async (event) => {
            await inbox.accept(event)
            return { state: 'duplicate', contentHash: event.contentHash }
          },
        }),
      },
    },
    never: { 'one of thirty does not run': losesOne() },
  },
  'a job whose transaction rolled back does not run': {
    found: {
      'the event is kept': {
        inbox: (inbox) => ({
          accept: (event, enqueue) =>
            inbox.accept(event, enqueue).catch(async (error) => {
              await inbox.accept(event)
              throw error
            }),
        }),
      },
      'nobody is told that it rolled back': {
        inbox: (inbox) => ({
          accept: (event, enqueue) => inbox.accept(event, enqueue).catch(() => ({ state: 'accepted' })),
        }),
      },
      'the error is another one': {
        inbox: (inbox) => ({
          accept: (event, enqueue) => inbox.accept(event, enqueue).catch(() => Promise.reject(error)),
        }),
      },
      'another job runs twice': runsTwice(),
    },
    never: { 'no other job runs': takesNoJob },
  },
  'a job that arrives twice has one effect': {
    found: {
      'the second one has an effect': replaysFor(({ generation }, count) => generation === 0 && count === 2),
      'one with a generation has an effect': replaysFor(({ generation }) => generation === 1),
    },
    never: { 'no job runs': takesNoJob },
  },
  'a replay runs a done event again, once': {
    found: {
      'it runs again twice': replaysFor(({ generation }) => generation === 1),
      'it has another generation': {
        inbox: (inbox) => ({ requeue: async (...args) => ((await inbox.requeue(...args)) ?? 0) + 1 }),
      },
      'its event has another generation': {
        inbox: (inbox) => ({
          async read(key) {
            const stored = await inbox.read(key)
            return stored && { ...stored, generation: 2 * stored.generation }
          },
        }),
      },
    },
    never: { 'it does not run': { inbox: () => ({ requeue: async () => 1 }) } },
  },
  'exactly `concurrency` jobs run concurrently when enough are waiting': {
    found: { 'one more': atOnce(1), 'one less': atOnce(-1) },
  },
  'keys may contain any characters': {
    found: {
      'its job has another generation': {
        worker: ({ run }) => ({ run: (job) => run({ ...job, generation: job.generation + 1 }) }),
      },
    },
    never: {
      'keys are trimmed': { worker: ({ run }) => ({ run: (job) => run({ ...job, key: job.key.trim() }) }) },
      'one does not run': losesOne(),
    },
  },
  'stop takes no new job and waits for running ones, and start continues': {
    found: {
      'it does not wait': stops(async (stop) => void stop()),
      'it runs all that wait': {
        ...stops(async (stop, _, { inbox }) => {
          while ((await inbox.due(1)).length > 0) {
            await pause(0.1)
          }
          await stop()
        }),
        says: 'it went on to take jobs',
      },
      'it takes a job later': {
        ...stops(async (stop, consume) => {
          await stop()
          void pause(0.2).then(consume)
        }),
        says: 'it took a job after it had stopped',
      },
      'a job runs twice': runsTwice(),
    },
    never: {
      'it cannot start again': {
        queue: ({ queue }) => {
          let starts = 0
          return {
            consume: async (...args) => (starts++ === 0 ? await queue.consume(...args) : async () => {}),
          }
        },
      },
    },
    faster: 4,
  },
}
