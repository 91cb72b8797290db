import { type Point, pointsOf } from '../modes.js'
import type { World } from '../world.js'
import { always, type Nemesis } from './nemesis.js'

/** SIGKILL at a step that chance picks. */
export const kill: Nemesis = {
  name: 'kill -9',
  breaks: 'processes',
  appliesTo: always,
  strike: (world) => killAt(world, world.random.pick(pointsOf(world.mode))),
}

/** Kills a process at a step, and leaves it to its supervisor. Resolves when it has died. */
export async function killAt(world: World, point: Point): Promise<void> {
  const isOfDelivery = point === 'before the answer' || point.endsWith('acceptance')
  const candidates = isOfDelivery ? world.receivers : world.runners
  await world.until('a process is up', () => candidates.some(({ isUp }) => isUp))
  const victim = world.random.pick(candidates.filter(({ isUp }) => isUp))
  const { deaths } = victim
  victim.tell({ strike: { at: point, act: 'die' } })
  await world.until(`a process dies ${point}`, () => victim.deaths > deaths)
}
