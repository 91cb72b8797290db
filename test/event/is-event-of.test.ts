import { expect, it } from 'vitest'
import { isEventOf, type WebhookEvent } from '../../src/index.js'

const event = (type: string) => ({ type, data: {} }) as WebhookEvent

it('is the same for the types of an event map', () => {
  const isMine = isEventOf<{ 'order.paid': { orderId: string } }>()
  expect(isMine(event('order.paid'), 'order.paid')).toBe(true)
  expect(isMine(event('transfer.failed'), 'order.paid', 'transfer.failed')).toBe(true)
  expect(isMine(event('order.failed'), 'order.paid')).toBe(false)
})

it('is true for each of the given types only', () => {
  expect(isEventOf(event('transfer.failed'), 'transfer.failed')).toBe(true)
  expect(isEventOf(event('transfer.failed'), 'transfer.settled', 'transfer.failed')).toBe(true)
  expect(isEventOf(event('transfer.failed.v2'), 'transfer.failed')).toBe(false)
  expect(isEventOf(event('constructor'), 'transfer.failed')).toBe(false)
  expect(isEventOf(event('transfer.failed'))).toBe(false)
})
