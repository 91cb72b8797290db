import { setTimeout as sleep } from 'node:timers/promises'
import { always, type Nemesis } from './nemesis.js'

/** Blocks the event loop for longer than the lease, so that no heartbeat is sent. */
export const block: Nemesis = {
  name: 'event loop blocked past the lease',
  breaks: 'processes',
  appliesTo: always,
  async strike({ random, runners, leaseSeconds }) {
    const seconds = leaseSeconds * random.between(1.2, 2)
    random.pick(runners).tell({ strike: { at: 'in the handler', act: 'block', seconds } })
    await sleep((seconds + 0.5) * 1000)
  },
}
