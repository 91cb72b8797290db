import { expect, it } from 'vitest'
import { isDeliveryKey, parseQuarantineKey, quarantineKey } from '../../src/store/quarantined-delivery.js'

const delivery = { endpoint: 'payments', bodyHash: 'a1'.repeat(32) }

it('is the key that a quarantined delivery of the endpoint has', () => {
  const key = quarantineKey(delivery)
  expect(parseQuarantineKey(key)).toEqual(delivery)
  expect(isDeliveryKey(key, 'payments')).toBe(true)
  expect(isDeliveryKey(key, 'refunds')).toBe(false)
})

it.each(['', 'evt_1', 'payments/7', '/', `a/payments/${delivery.bodyHash}`, delivery.bodyHash])(
  'is not the id %j of an event',
  (id) => {
    expect(isDeliveryKey(id, 'payments')).toBe(false)
  },
)
