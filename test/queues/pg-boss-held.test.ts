import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { JobHeld } from '../../src/queue/queue.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { eventually, pause } from '../../src/testing/laws.js'
import { newEvent } from '../stores/postgres-rig.js'
import { jobOf, jobs, openPgBoss, pool, program } from './pg-boss-rig.js'

openPgBoss()

/** Holds an event back for these seconds, one after the other. */
async function held(endpoint: string, seconds: readonly number[]) {
  const { queue } = program(endpoint, { pollSeconds: 0.05, sweepSeconds: 0.2 })
  const { inbox } = postgresStore({ pool })
  const event = newEvent({}, { endpoint })
  await queue.prepare?.(endpoint)
  await inbox.accept(event, async (tx) => queue.enqueue?.(jobOf(event), tx))
  let runs = 0
  const run = async () => {
    throw new JobHeld('rate_limited', seconds[Math.min(runs++, seconds.length - 1)])
  }
  const stop = await queue.consume({ endpoint, run, markDead: async () => {} }, inbox as never)
  const waiting = async () =>
    (await jobs(`webhook-inbox.${endpoint}`)).rows.filter(({ state }) => ['created', 'retry'].includes(state))
  return { stop, waiting, runs: () => runs }
}

it.each([
  ['once', [30]],
  ['twice', [1, 30]],
  ['three times', [1, 1, 30]],
])(
  'an event that is held back %s keeps one or two jobs that wait, and searches add no other',
  async (_, seconds) => {
    const { stop, waiting, runs } = await held(`held-${seconds.length}`, seconds)
    const state = async () => ({ runs: runs(), waiting: (await waiting()).map(({ id }) => id).sort() })
    const settled = await eventually(async () => {
      const before = await state()
      // Seven searches. One that came while the event ran may have added a second job, which runs once too.
      await pause(1.5)
      return before.runs >= seconds.length && isDeepStrictEqual(before, await state()) ? before : undefined
    })
    expect(settled.waiting.length).toBeGreaterThan(0)
    expect(settled.waiting.length).toBeLessThanOrEqual(2)
    await stop()
  },
)
