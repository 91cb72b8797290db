import { afterAll, expect, it } from 'vitest'
import { fingerprintOf } from '../../src/store/fingerprint.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { accepted } from './worker-rig.js'

afterAll(removeFiles)

it('a dead event belongs to the cause that the queue knows, or to that of its error', async () => {
  const cause = await fingerprintOf(new RangeError('of the first attempt'))
  for (const [given, title] of [
    [cause, 'RangeError: of the first attempt'],
    [undefined, 'Error: of the last attempt'],
  ] as const) {
    const { worker, job, receiver } = await accepted()
    await worker.markDead(job, new Error('of the last attempt'), given)
    expect(await receiver.failures()).toMatchObject([{ title, dead: 1 }])
  }
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
