import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '../src/index.js'
import { WebhookSubscriptionRequest } from '../src/schemas/webhook-subscription.js'
import { failureOf, key, quickClient, wallet } from './setup/service.js'

describe('an option that cannot be used is named, with what it must be', () => {
  test.each<[object, string]>([
    [
      { timeout: 3 },
      'createClient has no option timeout. It has: baseUrl, apiKey, auth, allowInsecureHttp, retry, timeoutSeconds, ' +
        'maxResponseBytes, apiVersion, subscriptionsPath, fetch',
    ],
    [
      { retry: { retries: 3 } },
      'retry has no option retries. It has: maxRetries, firstPauseSeconds, longestPauseSeconds, ' +
        'longestRetryAfterSeconds',
    ],
    [{ retry: null }, 'the options of retry must be an object'],
    [{ retry: 'twice' }, 'the options of retry must be an object'],
    [{ retry: { maxRetries: 11 } }, 'retry.maxRetries must be a whole number from 0 to 10'],
    [{ retry: { firstPauseSeconds: -1 } }, 'retry.firstPauseSeconds must be a number from 0 to 86400'],
    [{ retry: { longestPauseSeconds: '8' } }, 'retry.longestPauseSeconds must be a number from 0 to 86400'],
    [
      { retry: { longestRetryAfterSeconds: 86_401 } },
      'retry.longestRetryAfterSeconds must be a number from 0 to 86400',
    ],
    [{ timeoutSeconds: 0 }, 'timeoutSeconds must be a number from 0.001 to 86400'],
    [{ maxResponseBytes: 1.5 }, 'maxResponseBytes must be a whole number from 1 to 1073741824'],
    [{ maxResponseBytes: 0 }, 'maxResponseBytes must be a whole number from 1 to 1073741824'],
    [{ apiVersion: '1' }, 'apiVersion must be a version such as v1'],
    [{ apiVersion: 'v12345' }, 'apiVersion must be a version such as v1'],
    [{ apiVersion: 'av1' }, 'apiVersion must be a version such as v1'],
    [{ apiVersion: ['v1'] }, 'apiVersion must be a version such as v1'],
    [{ apiVersion: 1 }, 'apiVersion must be a version such as v1'],
    [{ subscriptionsPath: '/x?y' }, 'subscriptionsPath must be a path such as /webhook-subscriptions'],
    [{ subscriptionsPath: '?/x' }, 'subscriptionsPath must be a path such as /webhook-subscriptions'],
    [{ subscriptionsPath: '' }, 'subscriptionsPath must be a path such as /webhook-subscriptions'],
    [{ fetch: 'fetch' }, 'fetch must be a function'],
    [{ auth: () => ({}) }, 'give apiKey or auth, not both'],
    [{ apiKey: undefined }, 'apiKey must be a string: is the environment variable set?'],
    [{ apiKey: `${key}\n` }, 'apiKey must be visible ASCII without white space'],
    [{ apiKey: ` ${key}` }, 'apiKey must be visible ASCII without white space'],
    [{ apiKey: 'undefined' }, 'apiKey is the text of a missing value'],
    [{ apiKey: 'null' }, 'apiKey is the text of a missing value'],
    [{ apiKey: undefined, auth: 'Bearer' }, 'auth must be a function that gives headers'],
    [{ baseUrl: 'api' }, 'baseUrl must be an absolute URL, such as https://api.example.com/v1'],
    [{ baseUrl: undefined }, 'baseUrl must be an absolute URL, such as https://api.example.com/v1'],
    [
      { baseUrl: Symbol('url') as never },
      'baseUrl must be an absolute URL, such as https://api.example.com/v1',
    ],
    [{ baseUrl: Object.create(null) }, 'baseUrl must be an absolute URL, such as https://api.example.com/v1'],
    [
      { baseUrl: ['https://api.example.com'] as never },
      'baseUrl must be an absolute URL, such as https://api.example.com/v1',
    ],
    [
      { baseUrl: new URL('https://api.example.com') as never },
      'baseUrl must be an absolute URL, such as https://api.example.com/v1',
    ],
    [{ baseUrl: 'ftp://example.com' }, 'baseUrl must be an https: URL'],
    [{ baseUrl: 'https://a@example.com' }, 'baseUrl must not contain credentials: use apiKey or auth'],
    [{ baseUrl: 'https://:b@example.com' }, 'baseUrl must not contain credentials: use apiKey or auth'],
    [{ baseUrl: 'https://example.com/?a=b' }, 'baseUrl must not have a query or a fragment'],
    [{ baseUrl: 'https://example.com/#a' }, 'baseUrl must not have a query or a fragment'],
    [{ baseUrl: 'https://example.com/v12' }, 'baseUrl ends in /v12, and apiVersion is v1'],
    [{ baseUrl: 'https://example.com/v2' }, 'baseUrl ends in /v2, and apiVersion is v1'],
    [
      { baseUrl: 'http://example.com' },
      'baseUrl is http: on another machine, so that the credential would be sent in the clear. Use https:, or set ' +
        'allowInsecureHttp: true in a network that you trust',
    ],
  ])('%j', (options, message) => {
    const all = { baseUrl: 'https://api.example.com', apiKey: key, ...options } as unknown as ClientOptions
    expect(() => createClient(all)).toThrow(expect.objectContaining({ name: 'UsageError', message }))
  })

  test.each<[object, string]>([
    [
      { timeOutSeconds: 3 },
      'a call has no option timeOutSeconds. It has: idempotencyKey, signal, timeoutSeconds, headers',
    ],
    [{ timeoutSeconds: 86_401 }, 'timeoutSeconds must be a number from 0.001 to 86400'],
    [{ signal: {} }, 'signal must be an AbortSignal'],
    [{ headers: { 'a b': 'c' } }, 'headers have a name or a value that HTTP does not allow'],
  ])('of a call: %j', async (options, message) => {
    const call = quickClient('http://127.0.0.1:1').wallets.get(wallet.id, options as never)
    expect(await failureOf(call)).toMatchObject({ name: 'UsageError', message })
  })

  test('the headers that auth gives', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', auth: () => ({ 'a b': 'c' }) })
    const message = 'the headers of auth have a name or a value that HTTP does not allow'
    expect(await failureOf(client.wallets.get(wallet.id))).toMatchObject({ code: 'invalid_header', message })
  })

  test('other arguments', async () => {
    const client = quickClient('http://127.0.0.1:1')
    const messageOf = async (call: Promise<unknown>) => ((await failureOf(call)) as Error).message
    expect(await messageOf(client.wallets.list({ limit: 101 }).page())).toBe(
      'limit must be a whole number from 1 to 100',
    )
    expect(await failureOf(client.wallets.list({ limit: 0 }).page())).toMatchObject({
      code: 'invalid_option',
    })
    expect(await messageOf(client.wallets.get(''))).toBe('an id must be a string that is not empty')
    const subscription = { url: 'ftp://example.com', events: ['*'] }
    const message = await messageOf(client.webhookSubscriptions.create(subscription))
    expect(message).toMatch(/^url must be .*https/)
    const [issue] = WebhookSubscriptionRequest.safeParse(subscription).error?.issues ?? []
    expect(`url ${issue?.message}`).toBe(message)
    expect(issue?.code).toBe('custom')
  })
})
