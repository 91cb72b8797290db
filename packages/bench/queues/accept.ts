import { compare } from '../harness/compare.js'
import { atOnce } from '../harness/lanes.js'
import { timingsWithCpu } from '../harness/table.js'
import type { Engine } from './engine.js'

/** Compares 50 concurrent deliveries. Each is committed with its job before the answer. No handler runs beside them. */
export async function benchAccept(engines: readonly Engine[], rounds: number): Promise<void> {
  const contenders = engines.map((engine) => atOnce(50, engine.name, () => engine.accept()))
  timingsWithCpu(
    'an event accepted, 50 at once',
    await compare(contenders, { rounds, turnMilliseconds: 150 }),
  )
}
