import { expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.js'
import { postgresRig } from '../stores/postgres-rig.js'
import { accepted } from './worker-rig.js'

const rig = postgresRig()

test('a trial begins without a second client of the pool', async () => {
  let isDown = true
  const { worker, job, inspect, receiver } = await accepted({
    store: postgresStore({ pool: rig.pool({ max: 1 }) }),
    breaker: { failures: 1, retryAfterSeconds: 0.5 },
    fallback() {
      if (isDown) {
        throw new Error('the ledger is down')
      }
    },
  })
  await expect(worker.run(job)).rejects.toMatchObject({ isAttempt: true })
  isDown = false
  await receiver.replay((await receiver.list())[0]?.id ?? '', { reason: 'r', actor: 'a' })
  const run = () =>
    worker.run({ ...job, generation: 1 }).then(
      () => 'ran',
      ({ reason }) => reason,
    )
  await expect.poll(run, { timeout: 20_000, interval: 100 }).toBe('ran')
  expect(await inspect()).toMatchObject({ state: 'done' })
})
