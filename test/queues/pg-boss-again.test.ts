import { expect, it } from 'vitest'
import { eventually, pause } from '../../src/testing/laws.js'
import { boss, errors, jobs, openPgBoss, program } from './pg-boss-rig.js'

openPgBoss()

it('gives the job of the next attempt the priority of its type', async () => {
  const fail = () => Promise.reject(new Error('the bank is down'))
  const priorities = { 'transfer.settled': 7 }
  const { sender, receiver } = program('ranked', {}, fail, { priorities } as never)
  await receiver.start()
  await sender.send('transfer.settled')
  const ranks = async () => (await jobs('webhook-inbox.ranked')).rows.map(({ priority }) => priority)
  await eventually(async () => (await ranks()).length > 1 || undefined)
  const [first, ...next] = await ranks()
  expect(first).toBeGreaterThan(0)
  expect(next).toEqual(next.map(() => first))
  // What an operator sees in the tables of pg-boss.
  await expect
    .poll(async () => (await jobs('webhook-inbox.ranked')).rows[0].output)
    .toEqual({ failed: expect.stringContaining('the bank is down') })
})

it('tries a job of another program again only after a pause, however fast pg-boss gives it back', async () => {
  const { receiver } = program('foreign-again', { pollSeconds: 0.5, concurrency: 1 })
  await receiver.start()
  await boss.send('webhook-inbox.foreign-again', { invoice: 7 }, { retryLimit: 1000, retryDelay: 0 })
  await eventually(async () => errors.length > 0 || undefined)
  await pause(3)
  const { rows } = await jobs('webhook-inbox.foreign-again')
  expect(rows[0].retry_count).toBeGreaterThan(1)
  expect(rows[0].retry_count).toBeLessThan(20)
})
