import { setTimeout as sleep } from 'node:timers/promises'
import { repeatedInCalm } from './attempts.js'
import { type CheckOptions, check, type Report } from './checker.js'
import { medianLatency, untilLatencyIsBack } from './latency.js'
import { nemesesOf } from './nemesis/all.js'
import { kill } from './nemesis/kill.js'
import type { Nemesis } from './nemesis/nemesis.js'
import { startTraffic } from './traffic.js'
import type { World } from './world.js'

export interface MixReport extends Report {
  /** Number of strikes of each nemesis. */
  readonly strikes: Readonly<Record<string, number>>
  /** Duration in seconds, repairs included. */
  readonly seconds: number
  /** Number of processes that died. */
  readonly deaths: number
  /** Mean time between two deaths while processes were killed. */
  readonly secondsPerDeath: number
}

/** Delay between two kills. On average a process dies at least every two seconds. */
const killPauseMs = 1300

/** Longest rest between two other nemeses. */
const restMs = 3000

/**
 * Runs random nemeses for some time: one that breaks processes and one that breaks servers at a time, with kills in
 * between.
 */
export async function runMix(world: World, seconds: number, options: CheckOptions = {}): Promise<MixReport> {
  const startedAt = performance.now()
  const before = await medianLatency(world)
  const strikes: Record<string, number> = {}
  const broken: string[] = []
  const killedFrom = performance.now()
  const end = killedFrom + seconds * 1000

  async function strike(nemesis: Nemesis): Promise<void> {
    strikes[nemesis.name] = (strikes[nemesis.name] ?? 0) + 1
    try {
      await nemesis.strike(world)
    } catch (error) {
      broken.push(`${nemesis.name}: ${error instanceof Error ? error.message : error}`)
    }
  }

  async function lane(nemeses: readonly Nemesis[]): Promise<void> {
    while (nemeses.length > 0 && performance.now() < end) {
      await strike(world.random.pick(nemeses))
      // Without a rest no process stays up, and almost no event runs.
      await sleep(world.random.between(0, restMs))
    }
  }

  /** Kills find the most faults. Other nemeses take seconds, so kills do not wait for them. */
  async function killing(): Promise<number> {
    while (performance.now() < end) {
      const next = performance.now() + killPauseMs
      await strike(kill)
      await sleep(Math.max(0, next - performance.now()))
    }
    return Number(((performance.now() - killedFrom) / 1000 / deaths()).toFixed(2))
  }

  const stop = startTraffic(world, {
    mischief: 0.3,
    // Without a queue no event becomes dead: the sender would redeliver it until it gives up.
    doomed: world.mode.queue ? 0.01 : 0,
    mostWaiting: 20,
  })
  const others = nemesesOf(world.mode).filter((nemesis) => nemesis !== kill)
  const breaking = (part: Nemesis['breaks']) => lane(others.filter(({ breaks }) => breaks === part))
  const deaths = () => world.members.reduce((sum, each) => sum + each.deaths, 0)
  const [secondsPerDeath] = await Promise.all([killing(), breaking('processes'), breaking('servers')])
  await stop()
  const complain = (error: Error) => [error.message]
  broken.push(...(await untilLatencyIsBack(world, before).then(() => [], complain)))
  broken.push(...(await repeatedInCalm(world).catch(complain)))
  // Servers that are down during all attempts may leave dead events. Those are listed and can be replayed.
  const report = await check(world, { mayDie: true, ...options })
  const took = Math.round((performance.now() - startedAt) / 1000)
  return {
    ...report,
    broken: [...broken, ...report.broken],
    strikes,
    deaths: deaths(),
    secondsPerDeath,
    seconds: took,
  }
}
