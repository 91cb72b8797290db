import { setTimeout as sleep } from 'node:timers/promises'
import { type Nemesis, onPostgres } from './nemesis.js'

/** Takes every connection of the pool, as other code of the program may. */
export const poolExhausted: Nemesis = {
  name: 'pool exhausted',
  breaks: 'processes',
  appliesTo: onPostgres,
  async strike({ random, members }) {
    const hogSeconds = random.between(0.5, 2)
    random.pick(members).tell({ hogSeconds })
    await sleep(hogSeconds * 1000)
  },
}
