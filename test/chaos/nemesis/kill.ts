import { type Point, pointsOf } from '../modes.js'
import type { World } from '../world.js'
import { always, type Nemesis } from './nemesis.js'

/** Time for a process to come up and to reach the step. It may do neither during an outage, or while it is stopped. */
const patienceSeconds = 0.8

/** Kills a process at a random step, or anywhere if it does not reach the step in time. */
export const kill: Nemesis = {
  name: 'kill -9',
  breaks: 'processes',
  appliesTo: always,
  strike: (world) => killAt(world, world.random.pick(pointsOf(world.mode)), patienceSeconds),
}

/**
 * Kills a process at a step, or when `patience` ends. Resolves when it has died, and its supervisor restarts it. Kills
 * none that starts: on a busy machine none would ever be up.
 */
export async function killAt(world: World, point: Point, patience = Number.POSITIVE_INFINITY): Promise<void> {
  const isOfDelivery = point === 'before the answer' || point.endsWith('acceptance')
  const candidates = isOfDelivery ? world.receivers : world.runners
  const up = () => candidates.filter(({ isUp }) => isUp)
  const end = performance.now() + patience * 1000
  const isOver = () => performance.now() > end
  await world.until('a process is up', () => up().length > 0 || isOver())
  if (up().length === 0) {
    return
  }
  const victim = world.random.pick(up())
  const { deaths } = victim
  const isDead = () => victim.deaths > deaths
  victim.tell({ strike: { at: point, act: 'die' } })
  await world.until(`a process dies ${point}`, () => isDead() || isOver())
  if (!isDead()) {
    victim.signal('SIGKILL')
    await world.until('a process dies', isDead)
  }
}
