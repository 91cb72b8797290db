import { setTimeout as sleep } from 'node:timers/promises'
import { always, type Nemesis } from './nemesis.js'

/** Moves the clock of one process by an hour, ahead or back, and then corrects it. */
export const clockJump: Nemesis = {
  name: 'clock jumps by an hour',
  breaks: 'processes',
  appliesTo: always,
  async strike({ random, mode, members, receivers }) {
    // BullMQ computes the retry delay by the clock of the worker. A clock one hour ahead delays a retry by an hour.
    const victim = random.pick(mode.queue === 'bullmq' ? receivers : members)
    victim.tell({ clockSeconds: random.pick([3600, -3600]) })
    await sleep(random.between(500, 1500))
    victim.tell({ clockSeconds: 0 })
  },
}
