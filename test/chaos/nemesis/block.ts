import { setTimeout as sleep } from 'node:timers/promises'
import { always, type Nemesis } from './nemesis.js'

/** A computation that holds up the event loop past the lease, so that no heartbeat is sent. */
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
