import { type Point, pointsOf } from '../modes.js'
import type { World } from '../world.js'

/** Kills a process at a step: whoever reaches it first. Resolves when one has died and is up again. */
export async function killAt(world: World, point: Point): Promise<void> {
  const isOfDelivery = point === 'before the answer' || point.endsWith('acceptance')
  const candidates = isOfDelivery ? world.receivers : world.runners
  const victim = world.random.pick(candidates)
  const deaths = () => candidates.reduce((sum, each) => sum + each.deaths, 0)
  const before = deaths()
  for (const each of candidates) if (each === victim) each.tell({ strike: { at: point, act: 'die' } })
  await world.until(`a process dies ${point}`, () => deaths() > before)
  await victim.up()
}

/** Kills at a step that chance picks. */
export const kill = (world: World): Promise<void> => killAt(world, world.random.pick(pointsOf(world.mode)))
