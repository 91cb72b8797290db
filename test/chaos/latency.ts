import type { World } from './world.js'

/** Measures the median time until an undisturbed event is acknowledged, in ms. */
export async function medianLatency({ sender }: World, count = 9): Promise<number> {
  const taken: number[] = []
  for (let i = 0; i < count; i++) {
    const event = await sender.event()
    const startedAt = performance.now()
    await sender.send(event)
    taken.push(performance.now() - startedAt)
  }
  return taken.sort((a, b) => a - b)[count >> 1] as number
}

/** Waits until latency is normal again. The limit is generous, so that a busy machine passes. */
export async function untilLatencyIsBack(world: World, before: number): Promise<void> {
  const bound = 10 * before + 250
  await world.until(
    `latency is back below ${Math.round(bound)} ms`,
    async () => (await medianLatency(world)) < bound,
  )
}
