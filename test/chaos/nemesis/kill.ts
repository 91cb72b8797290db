import { type Point, pointsOf } from '../modes.js'
import type { World } from '../world.js'
import { always, type Nemesis } from './nemesis.js'

/** Time for the process to reach the step. It reaches none during an outage or while another nemesis stops it. */
const patienceSeconds = 2

/** Kills a process at a random step, or anywhere if it does not reach the step in time. */
export const kill: Nemesis = {
  name: 'kill -9',
  breaks: 'processes',
  appliesTo: always,
  strike: (world) => killAt(world, world.random.pick(pointsOf(world.mode)), patienceSeconds),
}

/**
 * Kills a process at a step, or when `patience` ends. Resolves when it has died. Its supervisor restarts it.
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
