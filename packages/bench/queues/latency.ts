import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../harness/compare.js'
import { duration, table } from '../harness/table.js'
import type { Engine } from './engine.js'

/** Measures the time from the answer of a delivery until its handler has run, in an engine that has nothing else to do. */
export async function benchLatency(engines: readonly Engine[], events: number): Promise<void> {
  const rows: string[][] = []
  for (const engine of engines) {
    const waited = await latencies(engine, events)
    rows.push([engine.name, ...[0.5, 0.99, 1].map((part) => duration(quantile(waited, part)))])
  }
  table([`${events} events, one at a time`, 'median', 'p99', 'longest'], rows)
}

async function latencies(engine: Engine, events: number): Promise<number[]> {
  let ran: () => void = () => {}
  await engine.start(() => ran())
  const waited: number[] = []
  for (let i = 0; i < events; i++) {
    let ranAt = 0
    const handled = new Promise<void>((resolve) => {
      ran = () => {
        ranAt = performance.now()
        resolve()
      }
    })
    await engine.accept()
    const acceptedAt = performance.now()
    await handled
    // A handler may run before the caller of `accept` gets its turn.
    waited.push(Math.max(0, (ranAt - acceptedAt) * 1e6))
    await sleep(20 + (i % 17))
  }
  await engine.stop()
  return waited
}
