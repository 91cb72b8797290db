import { expect, it } from 'vitest'
import { isEventOf, type WebhookEvent } from '../../src/index.js'

const event = (type: string) => ({ type, data: {} }) as WebhookEvent

it('is true for each of the given types only', () => {
  expect(isEventOf(event('transfer.failed'), 'transfer.failed')).toBe(true)
  expect(isEventOf(event('transfer.failed'), 'transfer.settled', 'transfer.failed')).toBe(true)
  expect(isEventOf(event('transfer.failed.v2'), 'transfer.failed')).toBe(false)
  expect(isEventOf(event('constructor'), 'transfer.failed')).toBe(false)
  expect(isEventOf(event('transfer.failed'))).toBe(false)
})
