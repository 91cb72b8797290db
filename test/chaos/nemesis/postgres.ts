import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../world.js'
import { type Nemesis, onPostgres } from './nemesis.js'

/** Ends every session and recovers at the next start, as after a crash. */
export const stopImmediately: Nemesis = {
  name: 'Postgres stopped immediately',
  breaks: 'servers',
  appliesTo: onPostgres,
  strike: (world) => stop(world, 'immediate'),
}

export const stopFast: Nemesis = {
  name: 'Postgres stopped fast',
  breaks: 'servers',
  appliesTo: onPostgres,
  strike: (world) => stop(world, 'fast'),
}

async function stop({ backend: { postgres }, random }: World, mode: 'fast' | 'immediate'): Promise<void> {
  await postgres?.stop(mode)
  await sleep(random.between(0, 800))
  await postgres?.start()
}

/** Ends sessions one by one, at random points. */
export const terminateBackends: Nemesis = {
  name: 'backends terminated at random',
  breaks: 'servers',
  appliesTo: onPostgres,
  async strike({ backend, random }) {
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.3`
    let strikes = 0
    let failure: unknown
    for (let i = 0; i < 10; i++) {
      try {
        await backend.sql?.(text)
        strikes++
      } catch (error) {
        // Another fault may end the session of this query too.
        failure = error
      }
      await sleep(random.between(10, 100))
    }
    if (strikes === 0) {
      throw failure
    }
  },
}

/** Lets COMMIT take effect, but drops its reply. */
export const cutCommits: Nemesis = {
  name: 'COMMIT applied, its answer cut',
  breaks: 'servers',
  appliesTo: onPostgres,
  async strike({ backend: { commitCutter }, until }) {
    if (!commitCutter) {
      return
    }
    const before = commitCutter.cuts()
    commitCutter.arm(true)
    await until('commits are cut', () => commitCutter.cuts() >= before + 3)
    commitCutter.arm(false)
  },
}
