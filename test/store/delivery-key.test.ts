import { expect, it } from 'vitest'
import { isDeliveryKey, parseQuarantineKey, quarantineKey } from '../../src/store/quarantined-delivery.js'

const delivery = { endpoint: 'payments', bodyHash: 'a1'.repeat(32) }

it('is the key that a quarantined delivery of the endpoint has', () => {
  const key = quarantineKey(delivery)
  expect(parseQuarantineKey(key)).toEqual(delivery)
  expect(isDeliveryKey(key, 'payments')).toBe(true)
  expect(isDeliveryKey(key, 'refunds')).toBe(false)
})

const { bodyHash } = delivery

it.each([
  '',
  'evt_1',
  'payments/7',
  '/',
  `a/payments/${bodyHash}`,
  bodyHash,
  `payments/x${bodyHash}`,
  `payments/${bodyHash}0`,
  `payments/${bodyHash.toUpperCase()}`,
])('is not the id %j of an event', (id) => {
  expect(isDeliveryKey(id, 'payments')).toBe(false)
})

it('has a slash, so that no key of an event is taken for it', () => {
  expect(parseQuarantineKey(bodyHash)).toBeUndefined()
  expect(parseQuarantineKey('a/b/c')).toEqual({ endpoint: 'a/b', bodyHash: 'c' })
})

it.each([undefined, null, 7, {}])('is not %j', (value) => {
  expect(isDeliveryKey(value as never, 'payments')).toBe(false)
})
