import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf, fixture, testSender } from 'webhook-inbox/testing'
import { openRig, type Rig, secret } from './rig.js'

let rig: Rig
let key: string
beforeAll(async () => {
  rig = await openRig('receiver.ts')
  const { body } = await fixture('transfer.settled', { id: 'evt_exact' })
  const text = Buffer.from(body).toString().replace('"data":{', '"data":{"x":9007199254740993,')
  await testSender({ receiver: rig.running, secret }).deliver(
    await deliveryOf(text, { secret, id: 'evt_exact' }),
  )
  key = (await rig.running.quarantined({ eventId: 'evt_exact' }))[0]?.key as string
})
afterAll(() => rig?.close())

it.each([
  ['show', 'evt_exact'],
  ['replay', 'evt_exact', '--reason', 'a test'],
])('%s of an id whose delivery is in quarantine names its key', async (...args) => {
  const { code, stdout, stderr } = await rig.inbox(args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(
    `is in quarantine because of invalid_data. To look at it: webhook-inbox inbox show ${key}\n`,
  )
  expect((await rig.inbox(['show', key])).code).toBe(0)
})
