import { quantile } from './compare.js'

export interface Traffic {
  readonly perSecond: number
  readonly seconds: number
}

/**
 * Starts an operation at a fixed rate, whether or not earlier ones have ended. Returns how long each took, in nanoseconds
 * from its due time. A pause of the process therefore shows in every operation that it delayed.
 */
export async function latencies(
  { perSecond, seconds }: Traffic,
  one: () => Promise<unknown>,
): Promise<number[]> {
  const taken: Promise<number>[] = []
  const startedAt = performance.now()
  for (let due = 0; due < seconds * 1000; ) {
    const now = performance.now() - startedAt
    for (; due <= now; due += 1000 / perSecond) {
      taken.push(timed(startedAt + due, one))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return Promise.all(taken)
}

async function timed(dueAt: number, one: () => Promise<unknown>): Promise<number> {
  await one()
  return (performance.now() - dueAt) * 1e6
}

/** Measures how long traffic waits without and with another task beside it, in turns. */
export async function beside(
  traffic: Traffic & { readonly turns: number },
  one: () => Promise<unknown>,
  other: (isOver: () => boolean) => Promise<unknown>,
): Promise<readonly Waits[]> {
  const samples: [number[][], number[][]] = [[], []]
  for (let turn = 0; turn < traffic.turns; turn++) {
    for (const index of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      let isOver = false
      const busy = index === 1 ? other(() => isOver) : undefined
      samples[index].push(await latencies(traffic, one))
      isOver = true
      await busy
    }
  }
  return samples.map((own) => ({
    median: quantile(own.flat(), 0.5),
    p99: quantile(own.flat(), 0.99),
    longest: quantile(own.flat(), 1),
    p99Ratio: quantile(
      own.map((turn, index) => quantile(turn, 0.99) / quantile(samples[0][index] as number[], 0.99)),
      0.5,
    ),
  }))
}

/** Times in nanoseconds. The ratio is the median over the turns. */
export interface Waits {
  readonly median: number
  readonly p99: number
  readonly longest: number
  readonly p99Ratio: number
}
