import { setTimeout as sleep } from 'node:timers/promises'
import { always, type Nemesis } from './nemesis.js'

/** The clock of one process jumps by an hour, either way, and back again: as with a bad time server. */
export const clockJump: Nemesis = {
  name: 'clock jumps by an hour',
  breaks: 'processes',
  appliesTo: always,
  async strike({ random, mode, members, receivers }) {
    // BullMQ counts the pause before a retry from the worker’s clock: set an hour ahead, it waits for an hour.
    const victim = random.pick(mode.queue === 'bullmq' ? receivers : members)
    victim.tell({ clockSeconds: random.pick([3600, -3600]) })
    await sleep(random.between(500, 1500))
    victim.tell({ clockSeconds: 0 })
  },
}
