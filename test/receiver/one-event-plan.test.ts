import { afterAll, expect, it, onTestFinished } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'

afterAll(removeFiles)

const audit = { reason: 'a test', actor: 'an operator' }
const patiently = { timeout: 20_000, interval: 50 }

async function startWithDead(...ids: string[]) {
  const receiver = createReceiver({
    secret,
    endpoint: 'payments',
    now: clock,
    logger: false,
    store: sqliteStore(newFile()),
    queue: localQueue({ pollSeconds: 3600, retry: { attempts: 1 } }),
    fallback() {
      throw new Error('the bank is down')
    },
  } as never)
  onTestFinished(() => receiver.stop())
  await receiver.start()
  for (const id of ids) {
    await receiver.receive(await delivery({ ...settled, id }))
  }
  await expect.poll(async () => (await receiver.health()).counts.dead, patiently).toBe(ids.length)
  return receiver
}

it('a plan may hold one event by its id', async () => {
  const receiver = await startWithDead('evt_1', 'evt_2')
  const plan = await receiver.plan({ action: 'discard', where: { id: 'evt_2' } })
  expect(plan.count).toBe(1)
  expect(await receiver.findPlan(plan.id)).toEqual(plan)
  expect(await receiver.findPlan('none')).toBeUndefined()
  await (await receiver.run(plan, audit)).finished()
  expect((await receiver.list()).map(({ id }) => id)).toEqual(['evt_1'])
  expect((await receiver.plan({ action: 'discard', where: { id: 'evt_none' } })).count).toBe(0)
  await expect(receiver.plan({ action: 'discard', where: { id: '' } })).rejects.toMatchObject({
    code: 'invalid_option',
  })
})

it('says its endpoint and who runs its events', async () => {
  const receiver = await startWithDead()
  expect(receiver.endpoint).toBe('payments')
  await expect.poll(async () => receiver.workers(), patiently).toMatchObject([{ endpoint: 'payments' }])
  await receiver.stop()
  await expect.poll(async () => receiver.workers(), patiently).toEqual([])
})
