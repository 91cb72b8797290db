import type { Contender } from './compare.js'

/** Does one thing so many times, so many of them at once: whoever is done takes the next. */
export const atOnce = (concurrency: number, name: string, one: () => Promise<unknown>): Contender => ({
  name,
  async run(times) {
    let left = times
    async function lane() {
      while (left-- > 0) {
        await one()
      }
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, times) }, lane))
  },
})
