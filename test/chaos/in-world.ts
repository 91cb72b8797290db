import { expect } from 'vitest'
import { type CheckOptions, check, type Report } from './checker.js'
import { medianLatency, untilLatencyIsBack } from './latency.js'
import { startTraffic, type TrafficOptions } from './traffic.js'
import { openWorld, type World, type WorldOptions } from './world.js'

/** Runs a test in its own world, and checks all invariants afterwards. */
export async function inWorld(
  options: WorldOptions & CheckOptions,
  run: (world: World) => Promise<void>,
): Promise<Report> {
  const world = await openWorld(options)
  try {
    const before = await medianLatency(world)
    await run(world)
    await untilLatencyIsBack(world, before)
    const report = await check(world, options)
    expect(report.broken).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(0)
    return report
  } catch (error) {
    const logs = world.members.map(({ role, log }) => `${role}: ${log.slice(-1500)}`)
    console.error(`seed ${options.seed}, ${options.mode}\n${logs.join('\n')}`)
    throw error
  } finally {
    await world.close()
  }
}

/** Runs a function while events are sent, and waits until all of them are acknowledged. */
export async function underTraffic(
  world: World,
  run: () => Promise<void>,
  options?: TrafficOptions,
): Promise<void> {
  const stop = startTraffic(world, options)
  try {
    await run()
  } finally {
    await stop()
  }
}
