import { quantile, shuffled } from '../harness/compare.js'
import { duration, table } from '../harness/table.js'
import type { Engine } from './engine.js'

interface Drained {
  readonly seconds: number
  /** Processor time of this process for each event, in nanoseconds. */
  readonly cpu: number
}

/** Measures how fast each engine runs a backlog. The engines take turns, and the ratio is to the first of the group. */
export async function benchDrain(engines: readonly Engine[], events: number, rounds: number): Promise<void> {
  const drained: Drained[][] = engines.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const index of shuffled(engines.length)) {
      drained[index]?.push(await drain(engines[index] as Engine, events))
    }
  }
  const perSecond = (own: readonly Drained[]) =>
    events /
    quantile(
      own.map(({ seconds }) => seconds),
      0.5,
    )
  const first = drained[0] as Drained[]
  table(
    [`a backlog of ${events}`, 'events a second', 'ratio', 'our processor time an event'],
    engines.map(({ name }, index) => {
      const own = drained[index] as Drained[]
      const ratios = own.map(({ seconds }, round) => (first[round] as Drained).seconds / seconds)
      return [
        name,
        Math.round(perSecond(own)),
        quantile(ratios, 0.5).toFixed(2),
        duration(
          quantile(
            own.map(({ cpu }) => cpu),
            0.5,
          ),
        ),
      ]
    }),
  )
}

async function drain(engine: Engine, events: number): Promise<Drained> {
  await fill(engine, events)
  let ran = 0
  const drained = signal()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await engine.start(() => {
    if (++ran === events) {
      drained.give()
    }
  })
  await drained.given
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  console.log(engine.name, Math.round(events / seconds), ((user + system) / events).toFixed(0))
  await engine.stop()
  const left = await engine.left()
  if (left > 0) {
    throw new Error(`${engine.name}: ${left} events are not done`)
  }
  return { seconds, cpu: ((user + system) * 1000) / events }
}

async function fill(engine: Engine, events: number): Promise<void> {
  let rest = events
  async function lane(): Promise<void> {
    while (rest-- > 0) {
      await engine.accept()
    }
  }
  await Promise.all(Array.from({ length: 50 }, lane))
}

/** A promise that is resolved from outside. */
function signal() {
  let give: () => void = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give }
}
