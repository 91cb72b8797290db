import type { FlowStore } from '../store/flow-store.js'
import type { Shutdown } from '../timing/shutdown.js'
import { version } from '../version.js'
import type { FlowGate } from './flow-gate.js'

/** How often a process that runs events says so, in seconds. */
const beatSeconds = 20

/** How many resources a beat names. A sender may invent any number. */
const mostNamed = 100

/** A process that was not seen for this long runs no events. */
export const aliveSeconds = 3 * beatSeconds

/**
 * Notes in the store that this process runs events, until the shutdown begins, and learns what is held back. A beat that
 * fails is left out: the next one follows.
 */
export async function beatRegularly(
  store: FlowStore,
  endpoint: string,
  gate: FlowGate,
  shutdown: Shutdown,
): Promise<void> {
  const id = crypto.randomUUID()
  const about = { endpoint, id, process: processName(), version }
  while (!shutdown.hasBegun) {
    try {
      const { types, resources } = gate.limited()
      const limited = { types, resources: resources.slice(0, mostNamed) }
      gate.take(await store.beat({ ...about, limited }))
    } catch {
      // What the store says then shows in what events wait for.
    }
    await shutdown.sleep(beatSeconds, { keepsProcess: false })
  }
  await store.leave(endpoint, id).catch(() => {})
}

/** The host and the process id, as far as the runtime tells. */
function processName(): string {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  const os = process?.getBuiltinModule?.('node:os')
  return `${os?.hostname() ?? 'unknown host'}:${process?.pid ?? 0}`
}
