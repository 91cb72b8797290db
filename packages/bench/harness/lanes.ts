import type { Contender } from './compare.js'

/** A contender that runs one operation concurrently: `concurrency` lanes take the next one as soon as they are free. */
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
