/** One contender. It runs its operation a number of times, and the harness awaits the result once. */
export interface Contender {
  readonly name: string
  run(times: number): unknown
  /** Runs after each turn and is not measured. It undoes what the turn left behind. */
  rest?(): unknown
}

/** The measurement of one contender. */
export interface Measured {
  readonly name: string
  /** Median time of one operation, in nanoseconds. */
  readonly nanoseconds: number
  /** Half the distance between the quartiles, as a fraction of the median. */
  readonly spread: number
  /** Median over the rounds of its time divided by the time of the first contender in the same round. */
  readonly ratio: number
  /** The time and the ratio again, in processor time of this process. Other processes disturb it less. */
  readonly cpu: { readonly nanoseconds: number; readonly ratio: number }
}

export interface Rounds {
  /** Turns per contender. The order is random in every round. Default 41. */
  readonly rounds?: number
  /** Approximate length of a turn, in milliseconds. Default 20. */
  readonly turnMilliseconds?: number
}

/**
 * Measures contenders in turns. When the machine is slow, it is slow for all of them, so the ratios stay comparable.
 * The first contender is the one that the others are compared with.
 */
export async function compare(contenders: readonly Contender[], options: Rounds = {}): Promise<Measured[]> {
  const { rounds = 41, turnMilliseconds = 20 } = options
  const turns: number[] = []
  for (const contender of contenders) {
    turns.push(await timesIn(contender, turnMilliseconds))
  }

  const samples = contenders.map((): number[] => [])
  const cpu = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const index of shuffled(contenders.length)) {
      const times = turns[index] as number
      const before = process.cpuUsage()
      const milliseconds = await clock(contenders[index] as Contender, times)
      const { user, system } = process.cpuUsage(before)
      samples[index]?.push((milliseconds * 1e6) / times)
      cpu[index]?.push(((user + system) * 1e3) / times)
      await contenders[index]?.rest?.()
    }
  }

  return contenders.map(({ name }, index) => {
    const own = samples[index] as number[]
    const [lower, middle, upper] = [0.25, 0.5, 0.75].map((part) => quantile(own, part)) as [
      number,
      number,
      number,
    ]
    return {
      name,
      nanoseconds: middle,
      spread: (upper - lower) / 2 / middle,
      ratio: ratioOf(own, samples[0] as number[]),
      cpu: {
        nanoseconds: quantile(cpu[index] as number[], 0.5),
        ratio: ratioOf(cpu[index] as number[], cpu[0] as number[]),
      },
    }
  })
}

/** Returns the median over the rounds of one contender's time divided by another's. */
const ratioOf = (own: readonly number[], floor: readonly number[]) =>
  quantile(
    own.map((sample, round) => sample / (floor[round] as number)),
    0.5,
  )

/** Warms a contender up and returns how many operations fit in a turn. */
async function timesIn(contender: Contender, milliseconds: number): Promise<number> {
  let times = 1
  for (let warm = 0; ; ) {
    // Take the shortest of three, because another process may interrupt one.
    let took = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3; i++) {
      const again = await clock(contender, times)
      await contender.rest?.()
      warm += again
      took = Math.min(took, again)
    }
    if (warm > Math.max(10 * milliseconds, 200) && took > milliseconds / 2) {
      return Math.max(1, Math.round((times * milliseconds) / took))
    }
    if (took < milliseconds) {
      times *= 2
    }
  }
}

async function clock(contender: Contender, times: number): Promise<number> {
  const startedAt = performance.now()
  await contender.run(times)
  return performance.now() - startedAt
}

/** Returns every index below `length`, in random order. */
export function shuffled(length: number): number[] {
  const order = Array.from({ length }, (_, index) => index)
  for (let i = length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[order[i], order[j]] = [order[j] as number, order[i] as number]
  }
  return order
}

/** Returns the value below which this part of the samples lies. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] as number
}
