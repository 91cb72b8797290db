import { afterAll, expect, it } from 'vitest'
import { removeFiles } from '../stores/sqlite-files.js'
import { accepted } from './worker-rig.js'

afterAll(removeFiles)

it('a worker gives up the claim of an event that the queue does not admit', async () => {
  const { worker, job, inspect } = await accepted()
  const refused = new Error('it waits for its next attempt')
  const refuse = async () => {
    throw refused
  }
  await expect(worker.run(job, undefined, refuse)).rejects.toBe(refused)
  await worker.run(job)
  expect(await inspect()).toMatchObject({ state: 'done' })
})

it('a worker makes no event dead that was replayed since its last attempt', async () => {
  const { worker, job, receiver, inspect } = await accepted()
  const audit = { reason: 'a ticket', actor: 'an operator' }
  await worker.markDead({ ...job, failures: 0 }, new Error('the first'))
  expect(await inspect()).toMatchObject({ state: 'dead' })
  await receiver.replay('evt_1', audit)
  await worker.markDead({ ...job, failures: 0 }, new Error('an old job'))
  expect(await inspect()).toMatchObject({ state: 'accepted' })
  await worker.markDead(job, new Error('a job without a count'))
  expect(await inspect()).toMatchObject({ state: 'dead' })
})

it('the log says once a minute when an event is tried again', async () => {
  const { worker, logger } = await accepted()
  const event = { id: 'evt_1', type: 'transfer.settled' }
  const before = Date.now()
  worker.postponed?.(event, { failed: 1, attempts: 5, pauseSeconds: 30 })
  worker.postponed?.(event, { failed: 2, attempts: 5, pauseSeconds: 30 })
  const lines = logger.written.filter((line) => line.includes('next try at'))
  expect(lines).toHaveLength(1)
  const [, at = ''] = /event evt_1 .+: attempt 1 of 5 failed; next try at (.+)$/.exec(lines[0] ?? '') ?? []
  expect(Date.parse(at)).toBeGreaterThanOrEqual(before + 30_000)
  expect(Date.parse(at)).toBeLessThanOrEqual(Date.now() + 30_000)
})
