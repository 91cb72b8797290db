import { setTimeout as sleep } from 'node:timers/promises'
import type { SendOptions } from './sender.js'
import type { World } from './world.js'

export interface TrafficOptions extends SendOptions {
  /** Number of concurrent events. Default 8. */
  readonly atOnce?: number
  /** Fraction of events that fail at first. 0 to 1, default 0.1. */
  readonly flaky?: number
  /** Fraction of events that never succeed and end as dead. 0 to 1, default 0. */
  readonly doomed?: number
  /** Fraction of additional forged deliveries. 0 to 1, default 0.1. */
  readonly forged?: number
  /** Longest pause between two events of a lane, in ms. Default 80. */
  readonly pauseMs?: number
  /** Pauses while more events than this wait in the inbox. Processes that die often run fewer than are sent. */
  readonly mostWaiting?: number
}

/** Sends events of every kind until it is stopped. `stop` resolves when every event is acknowledged. */
export function startTraffic(world: World, options: TrafficOptions = {}): () => Promise<void> {
  const { random, sender } = world
  const { atOnce = 8, flaky = 0.1, doomed = 0, forged = 0.1, pauseMs = 80, mischief = 0.2 } = options
  const { mostWaiting = Number.POSITIVE_INFINITY } = options
  let isOver = false
  let waiting = 0

  async function watch(): Promise<void> {
    while (!isOver && Number.isFinite(mostWaiting)) {
      const { inbox } = world.backend
      // During an outage use the last count.
      const counts = await inbox?.health().then(
        ({ counts }) => counts,
        () => undefined,
      )
      waiting = counts ? counts.accepted + counts.failed : waiting
      await sleep(200)
    }
  }

  async function lane(): Promise<void> {
    while (!isOver) {
      if (waiting > mostWaiting) {
        await sleep(50)
        continue
      }
      if (random.chance(forged)) {
        await sender.offer(await sender.forged())
      }
      const behavior = random.chance(doomed) ? 'doomed' : random.chance(flaky) ? 'flaky' : 'fine'
      const workMs = random.chance(0.1) ? random.below(150) : random.below(5)
      await sender.send(await sender.event({ behavior, workMs }), { ...options, mischief })
      await sleep(random.between(0, pauseMs))
    }
  }

  const lanes = Promise.all([watch(), ...Array.from({ length: atOnce }, lane)])
  lanes.catch(() => {})
  return async () => {
    isOver = true
    await lanes
  }
}
