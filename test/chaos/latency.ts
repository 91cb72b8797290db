import type { World } from './world.js'

/** How long an undisturbed event waits for its acknowledgement, in ms: the median of several. */
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

/** Waits until latency is back to what it was, generously: a busy machine must not look like a broken one. */
export async function untilLatencyIsBack(world: World, before: number): Promise<void> {
  const bound = 10 * before + 250
  await world.until(
    `latency is back below ${Math.round(bound)} ms`,
    async () => (await medianLatency(world)) < bound,
  )
}
