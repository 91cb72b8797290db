import assert from 'node:assert/strict'
import { freshKey, type Laws, pause } from '../laws.js'
import { type AnyStore, eventOf } from './deliveries.js'

/** Laws of a store without its backend. */
export const lawsOfOutage: Laws<AnyStore> = {
  async 'without its backend the store rejects and does not run the work'({ make }) {
    const store = await make()
    let runs = 0
    const work = async () => {
      runs++
    }
    const outcome = await Promise.race([
      store.once(eventOf(freshKey()), work).then(
        () => 'resolved',
        () => 'rejected',
      ),
      pause(10).then(() => 'silent'),
    ])
    assert.deepEqual([outcome, runs], ['rejected', 0])
  },
}
