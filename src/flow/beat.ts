import type { Settings } from '../options/settings.js'
import type { FlowStore, SeenWorker } from '../store/flow-store.js'
import type { Shutdown } from '../timing/shutdown.js'
import { version as versionOfPackage } from '../version.js'
import type { FlowGate } from './flow-gate.js'

/** How often a process that runs events reports to the store, in seconds. */
export const beatSeconds = 20

/**
 * How soon a process repeats a report that failed, in seconds. Another process locks an SQLite file for seconds only. With the usual
 * pause, two such locks would make a healthy process look ended.
 */
const repeatSeconds = 2

/** How many resources a report names. A sender can send any number. */
const mostNamed = 100

/** A process has missed two reports after this time, in seconds. The console calls it late. */
export const lateSeconds = 45

/** Whether a process has missed two reports. */
export const isSilent = ({ silentSeconds = 0 }: Pick<SeenWorker, 'silentSeconds'>): boolean =>
  silentSeconds > lateSeconds

/** A process without a report for this time is regarded as ended, in seconds. */
export const aliveSeconds = 3 * beatSeconds

/**
 * Reports to the store that this process runs events, until the shutdown begins. The store returns what is held back, and
 * whether a bulk run is open. A report that fails is repeated after a short pause.
 */
export async function beatRegularly(
  store: FlowStore,
  { endpoint, version }: Pick<Settings, 'endpoint' | 'version'>,
  gate: FlowGate,
  onOpenRun: () => void,
  shutdown: Shutdown,
): Promise<void> {
  const id = crypto.randomUUID()
  gate.reportsAs = id
  const about = { endpoint, id, process: processName(), version: version ?? versionOfPackage }
  while (!shutdown.hasBegun) {
    let seconds = beatSeconds
    try {
      const { types, resources } = gate.limited()
      const limited = { types, resources: resources.slice(0, mostNamed), running: gate.running }
      const askedAt = performance.now()
      const reply = await store.beat({ ...about, limited })
      gate.take(reply, askedAt)
      if (reply.hasOpenRun) {
        onOpenRun()
      }
    } catch {
      // Other processes then see in the store why events wait.
      seconds = repeatSeconds
    }
    await shutdown.sleep(seconds, { keepsProcess: false })
  }
  await store.leave(endpoint, id).catch(() => {})
}

/** The host and the process id, if the runtime has them. */
function processName(): string {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> }
  const os = process?.getBuiltinModule?.('node:os')
  return `${os?.hostname() ?? 'unknown host'}:${process?.pid ?? 0}`
}
