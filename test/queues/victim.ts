import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { QueueSettings, Victim } from '../../src/testing/queue-suite.js'

/** Starts a consumer in its own process, which reports when it runs a job. */
export async function startVictim(
  program: string,
  address: string,
  settings: QueueSettings,
): Promise<Victim> {
  const child = fork(program, [address, JSON.stringify(settings)])
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (message !== 'running') {
    throw new Error(`the victim ended early: ${message}`)
  }
  return {
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
