import { pause } from '../../src/testing/laws.js'
import type { LawFaults, QueueFault } from './queue-fault.js'
import { reads, runsOnlyFailed, runsTwice, stops, takesNoJob } from './queue-fault-kinds.js'

const error = new Error('a fault of the queue')

const others = (attempts: number, seconds: number): QueueFault => ({
  settings: (given) => ({
    ...given,
    retry: { attempts, firstPauseSeconds: seconds, longestPauseSeconds: seconds },
  }),
})

/** Faults that the laws of retries and dead events find. */
export const retryFaults: Record<string, LawFaults> = {
  'a failed job is retried after growing delays, and dead after its last attempt': {
    found: {
      'an attempt is missing': others(3, 0.2),
      'an attempt more': others(5, 0.2),
      'the pauses do not grow': { ...others(4, 1), says: 'pauses' },
      'the error is not kept': {
        inbox: (inbox) => ({ markDead: (key, _, ...more) => inbox.markDead(key, ' ', ...more) }),
      },
      'a dead event runs again': {
        worker: ({ markDead }, { inbox }) => ({
          async markDead(job, ...more) {
            await markDead(job, ...more)
            void pause(0.5).then(() => inbox.requeue(job.key, { reason: 'a', actor: 'b' }, async () => {}))
          },
        }),
        says: 'a dead event was run',
      },
    },
  },
  'a job that fails and then succeeds is done': {
    found: {
      'another error is kept': reads(() => ({ lastError: 'another' })),
      'it runs again when it is done': runsTwice(),
    },
  },
  'a second job for an event does not shorten its pause after a failure': {
    found: {
      'it does': {
        inbox: (inbox) => ({ postpone: (key, _, ...more) => inbox.postpone(key, 0.001, ...more) }),
        says: 'the second attempt began',
      },
      'there is no second attempt': others(1, 1),
    },
  },
  'a replayed dead event runs again': {
    found: { 'it has another generation': reads(({ generation }) => ({ generation: 2 * generation })) },
    never: { 'it does not run': { inbox: () => ({ requeue: async () => 1 }) } },
    faster: 8,
  },
  'a failing job does not delay other jobs': {
    found: { 'no delivery is accepted': { inbox: () => ({ accept: () => Promise.reject(error) }) } },
    never: {
      'the others wait for it': {
        worker: ({ run }) => ({
          run: (...args) =>
            run(...args).catch(async (error) => {
              await pause(8)
              throw error
            }),
        }),
      },
      'the others wait until it is done': runsOnlyFailed(),
      'it does not run again': {
        worker: ({ run }) => {
          const failed = new Set<string>()
          return {
            run: (job, ...more) =>
              failed.has(job.key)
                ? pause(0.1)
                : run(job, ...more).catch((error) => {
                    failed.add(job.key)
                    throw error
                  }),
          }
        },
      },
    },
    faster: 15,
  },
  'stop waits for handlers that fail': {
    found: { 'it does not wait': stops(async (stop) => void stop()) },
    never: { 'no job runs': takesNoJob },
  },
}
