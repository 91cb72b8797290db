import { describe, expect, test } from 'vitest'
import { failureOf, json, quickClient, startService, wallet } from './setup/service.js'

const once = { retry: { maxRetries: 0 } }

describe('a response that cannot be used says why', () => {
  const get = async (...answer: Parameters<typeof json>) => {
    const service = await startService(json(...answer))
    const { message } = (await failureOf(quickClient(service.url, once).wallets.get(wallet.id))) as Error
    return message.replace(`GET /v1/wallets/${wallet.id}: `, '')
  }

  test.each<[string, Parameters<typeof json>, string]>([
    [
      'a page of a proxy',
      [200, '<html>'],
      '200 invalid_response: the body is not a JSON object. Is baseUrl the service, or is there a proxy before it?',
    ],
    ['nothing', [500, ''], '500: the body is empty'],
    [
      'another content type',
      [502, '<html>', { 'content-type': 'text/html' }],
      '502: the body is no problem document (text/html)',
    ],
    ['a redirect', [302, ''], '302: redirects are not followed. Set baseUrl to where the service is'],
    [
      'a redirect of the first status',
      [300, ''],
      '300: redirects are not followed. Set baseUrl to where the service is',
    ],
    [
      'a redirect of the last status',
      [399, ''],
      '399: redirects are not followed. Set baseUrl to where the service is',
    ],
    ['the status after the redirects', [400, ''], '400: the body is empty'],
    ['a title without a detail', [400, { title: 'No' }], '400: No'],
    [
      'fields that are empty',
      [400, { code: '', param: '', detail: '', title: '' }, { 'content-type': '' }],
      '400: the body is no problem document (no content type)',
    ],
    ['control characters', [400, { detail: 'a\u0007b\u2028c\u2029d' }], '400: a b c d'],
  ])('%s', async (_, answer, message) => {
    expect(await get(...answer)).toBe(message)
  })

  test('a redirect as a browser shows it', async () => {
    const client = quickClient('http://127.0.0.1:1', { ...once, fetch: async () => Response.error() })
    expect(await failureOf(client.wallets.get(wallet.id))).toMatchObject({
      status: 0,
      code: undefined,
      message: expect.stringMatching(/: 0: redirects are not followed/),
    })
  })

  test.each(['7', 'true', '"text"', 'null', '[]', '{"id":'])('JSON that is no object: %s', async (body) => {
    expect(await get(200, body)).toMatch(/^200 invalid_response: the body is not a JSON object/)
  })

  test('no body', async () => {
    const service = await startService((response) => response.writeHead(204).end())
    expect(await failureOf(quickClient(service.url, once).wallets.get(wallet.id))).toMatchObject({
      code: 'invalid_response',
      body: '',
    })
  })

  test('no content type', async () => {
    const service = await startService((response) => response.writeHead(500).end('down'))
    const { message } = (await failureOf(quickClient(service.url, once).wallets.get(wallet.id))) as Error
    expect(message).toContain('500: the body is no problem document (no content type)')
  })

  test('a body that is too large', async () => {
    const service = await startService(json(200, wallet))
    const call = quickClient(service.url, { maxResponseBytes: 5 }).wallets.get(wallet.id)
    expect(((await failureOf(call)) as Error).message).toContain(
      '200 response_too_large: the body is larger than maxResponseBytes',
    )
    const maxResponseBytes = JSON.stringify(wallet).length
    expect(await quickClient(service.url, { maxResponseBytes }).wallets.get(wallet.id)).toEqual(wallet)
  })

  test('a created object without an id', async () => {
    const service = await startService(json(201, {}))
    const call = quickClient(service.url).wallets.create({ owner: 'cus_ada', currency: 'KES' })
    expect(((await failureOf(call)) as Error).message).toBe(
      'POST /v1/wallets: 201 invalid_response: the body has no id',
    )
  })

  test.each([
    [{ items: [] }, undefined, 'the body is no page: data must be a list of objects'],
    [{ data: [7] }, undefined, 'the body is no page: data must be a list of objects'],
    [{ data: [null] }, undefined, 'the body is no page: data must be a list of objects'],
    [{ data: [wallet, []] }, undefined, 'the body is no page: data must be a list of objects'],
    [{ data: { ...wallet } }, undefined, 'the body is no page: data must be a list of objects'],
    [
      { data: [], nextCursor: 'same' },
      'same',
      'nextCursor is the cursor of this page, so that the list would never end',
    ],
  ])('the page %j', async (body, cursor, why) => {
    const service = await startService(json(200, body))
    const call = quickClient(service.url).wallets.list().page({ cursor })
    expect(((await failureOf(call)) as Error).message).toContain(`200 invalid_response: ${why}`)
  })

  test('a cursor that is empty or no text is none', async () => {
    for (const nextCursor of ['', 7]) {
      const service = await startService(json(200, { data: [], hasMore: true, nextCursor }))
      expect(await quickClient(service.url).wallets.list().page()).toMatchObject({
        hasMore: false,
        nextCursor: null,
      })
    }
  })
})

test.each(['Sun, 06 Nov 2044 08:49:37 GMT (UTC)', 'now, Sun, 06 Nov 2044 08:49:37 GMT', '7 s', ''])(
  'a Retry-After of %j is none',
  async (value) => {
    const service = await startService(json(503, {}, { 'retry-after': value }))
    expect(await failureOf(quickClient(service.url, once).wallets.get(wallet.id))).toMatchObject({
      retryAfterSeconds: undefined,
    })
  },
)
