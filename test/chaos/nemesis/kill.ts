import { type Point, pointsOf } from '../modes.js'
import type { World } from '../world.js'
import { always, type Nemesis } from './nemesis.js'

/** How long the process may take to reach the step. During an outage, or stopped by another nemesis, it reaches none. */
const patienceSeconds = 2

/** SIGKILL at a step that chance picks, or wherever the process is where it does not reach that in time. */
export const kill: Nemesis = {
  name: 'kill -9',
  breaks: 'processes',
  appliesTo: always,
  strike: (world) => killAt(world, world.random.pick(pointsOf(world.mode)), patienceSeconds),
}

/**
 * Kills a process at a step, or when the patience ends, and leaves it to its supervisor. Resolves when it has died.
 */
export async function killAt(world: World, point: Point, patience = Number.POSITIVE_INFINITY): Promise<void> {
  const isOfDelivery = point === 'before the answer' || point.endsWith('acceptance')
  const candidates = isOfDelivery ? world.receivers : world.runners
  await world.until('a process is up', () => candidates.some(({ isUp }) => isUp))
  const victim = world.random.pick(candidates.filter(({ isUp }) => isUp))
  const { deaths } = victim
  const isDead = () => victim.deaths > deaths
  const end = performance.now() + patience * 1000
  victim.tell({ strike: { at: point, act: 'die' } })
  await world.until(`a process dies ${point}`, () => isDead() || performance.now() > end)
  if (!isDead()) {
    victim.signal('SIGKILL')
    await world.until('a process dies', isDead)
  }
}
