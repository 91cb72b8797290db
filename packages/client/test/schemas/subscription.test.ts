import { describe, expect, test } from 'vitest'
import { WebhookSubscriptionRequest } from '../../src/schemas/index.js'
import { param, refusal } from './refusal.js'

describe('a webhook subscription', () => {
  const subscription = { url: 'https://example.com/webhooks', events: ['transfer.settled'] }

  test.each([
    'https://example.com/webhooks',
    'http://127.0.0.1:3000/webhooks',
    'http://127.10.20.30/',
    'http://localhost:3000',
    'http://app.localhost',
    'http://[::1]:3000/',
    'http://0x7f.1/',
  ])('may go to %s', (url) => {
    expect(refusal(WebhookSubscriptionRequest, { ...subscription, url })).toBeUndefined()
  })

  test.each([
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://128.0.0.1',
    'http://120.0.0.1',
    'http://localhost.example.com',
    'http://notlocalhost',
    'ftp://example.com',
    'https://user:password@example.com',
    'https://user@example.com',
    'http://169.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    '/webhooks',
    'example.com',
    'javascript:alert(1)',
    '',
    7,
    undefined,
    `https://example.com/${'x'.repeat(2048)}`,
  ])('does not go to %s', (url) => {
    expect(param(WebhookSubscriptionRequest, { ...subscription, url })).toBe('url')
  })

  test('names event types, prefixes or all', () => {
    for (const events of [['*'], ['transfer.*'], ['transfer.settled', 'evidence.export_state.changed']]) {
      expect(refusal(WebhookSubscriptionRequest, { ...subscription, events })).toBeUndefined()
    }
    for (const events of [[], 'transfer.*', undefined, null]) {
      expect(param(WebhookSubscriptionRequest, { ...subscription, events })).toBe('events')
    }
    for (const type of [7, '', '*.settled', 'transfer.', 'a b', 'trans*']) {
      expect(param(WebhookSubscriptionRequest, { ...subscription, events: ['*', type] })).toBe('events[1]')
    }
  })

  test('has a description of at most 255 characters', () => {
    expect(
      param(WebhookSubscriptionRequest, { ...subscription, description: 'x'.repeat(255) }),
    ).toBeUndefined()
    expect(param(WebhookSubscriptionRequest, { ...subscription, description: 'x'.repeat(256) })).toBe(
      'description',
    )
  })

  test('has one of the two envelopes', () => {
    expect(refusal(WebhookSubscriptionRequest, { ...subscription, envelope: 'snake_case' })).toBeUndefined()
    expect(param(WebhookSubscriptionRequest, { ...subscription, envelope: 'snake' })).toBe('envelope')
  })
})
