import { expect, test } from 'vitest'
import { accepted } from './worker-rig.js'

const refuse = () => Promise.reject(new Error('not for this job'))
const refused = { message: 'not for this job' }
const type = 'transfer.settled'

/** A receiver that accepted one event, whose first runs fail. */
async function failing(failures: number, over: object) {
  let runs = 0
  const made = await accepted({
    fallback() {
      runs++
      if (runs <= failures) {
        throw new Error('the ledger is down')
      }
    },
    ...over,
  })
  return { ...made, runs: () => runs }
}

test('a job that is not admitted takes nothing from the rate of its type', async () => {
  const { worker, job, runs } = await failing(0, { limits: { byType: { [type]: { perSecond: 0.001 } } } })
  await expect(worker.run(job, undefined, refuse)).rejects.toMatchObject(refused)
  await worker.run({ ...job, key: 'of an event that is gone' })
  await worker.run(job)
  expect(runs()).toBe(1)
})

test('a job of an event that is done takes nothing from the rate of its type', async () => {
  const { worker, job, runs } = await failing(0, { limits: { byType: { [type]: { perSecond: 2 } } } })
  await worker.run(job)
  for (let i = 0; i < 5; i++) {
    await worker.run(job)
  }
  expect(runs()).toBe(1)
})

test('a job that is not admitted does not use up the trial of a circuit', async () => {
  const { worker, job, runs } = await failing(1, { breaker: { failures: 1, retryAfterSeconds: 1 } })
  await expect(worker.run(job)).rejects.toMatchObject({ isAttempt: true })
  await expect(worker.run(job, undefined, refuse)).rejects.toMatchObject({ reason: 'circuit_open' })
  const reasonOf = () => worker.run(job, undefined, refuse).catch(({ message }) => message)
  await expect.poll(reasonOf, { timeout: 20_000 }).toBe(refused.message)
  await worker.run({ ...job, key: 'of an event that is gone' })
  await worker.run(job)
  expect(runs()).toBe(2)
})

test('a job that ends without a run gives its place back, and no more than that', async () => {
  const { worker, job, runs } = await failing(2, { limits: { byType: { [type]: { perSecond: 0.001 } } } })
  await expect(worker.run(job, undefined, refuse)).rejects.toMatchObject(refused)
  await expect(worker.run(job, undefined, refuse)).rejects.toMatchObject(refused)
  await expect(worker.run(job)).rejects.toMatchObject({ isAttempt: true })
  await expect(worker.run(job)).rejects.toMatchObject({ reason: 'rate_limited' })
  expect(runs()).toBe(1)
})
