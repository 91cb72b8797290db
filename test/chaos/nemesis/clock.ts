import { setTimeout as sleep } from 'node:timers/promises'
import { always, type Nemesis } from './nemesis.js'

/** The clock of one process jumps by an hour, either way, and back again: as with a bad time server. */
export const clockJump: Nemesis = {
  name: 'clock jumps by an hour',
  appliesTo: always,
  async strike({ random, members }) {
    const victim = random.pick(members)
    victim.tell({ clockSeconds: random.pick([3600, -3600]) })
    await sleep(random.between(500, 1500))
    victim.tell({ clockSeconds: 0 })
  },
}
