/** Under vitest: `npx vitest run --root examples/testing-vitest`. */
import { expect, test } from 'vitest'
import { createReceiver, memoryStore } from 'webhook-inbox'
import { fixture, manualClock, tamper, testSecret, testSender } from 'webhook-inbox/testing'

/** The receiver of your service, with the clock and the store of the test. */
function setUp() {
  const clock = manualClock()
  const credited: string[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: memoryStore({ now: clock.now }),
    now: clock.now,
    logger: false,
    handlers: { 'transfer.settled': ({ data }) => credited.push(data.transferId) },
  })
  return { clock, credited, receiver, sender: testSender({ receiver, now: clock.now }) }
}

test('a settled transfer is credited once, however often it is delivered', async () => {
  const { credited, sender } = setUp()
  const answers = await sender.concurrent(20, 'transfer.settled', { transferId: 'tr_1' })
  expect(answers.filter(({ outcome }) => outcome === 'processed')).toHaveLength(1)
  expect(credited).toEqual(['tr_1'])
})

test('a delivery is rejected when it is tampered with, unsigned or stale', async () => {
  const { clock, credited, sender } = setUp()
  const delivery = await sender.prepare('transfer.settled')
  const deliver = async (changed: typeof delivery) => (await sender.deliver(changed)).code
  expect(await deliver(tamper.body(delivery))).toBe('signature_mismatch')
  expect(await deliver(tamper.reserialize(delivery))).toBe('signature_mismatch')
  expect(await deliver(tamper.dropHeader(delivery, 'service-signature'))).toBe('missing_signature')
  clock.advance(301)
  expect(await deliver(delivery)).toBe('timestamp_out_of_tolerance')
  expect(credited).toEqual([])
})

test.each(['camelCase', 'snake_case'] as const)('the %s envelope is understood', async (representation) => {
  const { clock, credited, sender } = setUp()
  const data = { transferId: 'tr_2' }
  await sender.deliver(await fixture('transfer.settled', { data, representation, now: clock.now }))
  expect(credited).toEqual(['tr_2'])
})
