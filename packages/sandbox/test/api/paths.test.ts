import { describe, expect, test } from 'vitest'
import { startTestSandbox } from '../rig.js'

describe('paths', () => {
  test.each([
    '/',
    '/nope',
    '/v1',
    '/v1/nope',
    '/v1/wallets/wallet_kes_zed',
    '/v1/transfers/tr_none',
    '/v1/events/evt_none',
    '/v1/approvals/apr_none',
    '/webhook-subscriptions/whe_none',
    '/v1/webhook-subscriptions/whe_none',
    '/_sandbox/nope',
    '/_inspector/nope.js',
    '/v1//wallets',
    '/v1/%2e%2e/etc/passwd',
  ])('%s is 404, as a problem', async (path) => {
    const sandbox = await startTestSandbox()
    const { status, headers, body } = await sandbox.get(path)
    expect([status, body.code]).toEqual([404, 'not_found'])
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(body.requestId).toBe(headers.get('request-id'))
  })

  test('with another method are 405 and name the methods', async () => {
    const sandbox = await startTestSandbox()
    for (const [path, allow] of [
      ['/v1/wallets', 'GET, POST'],
      ['/v1/transfers/tr_1', 'GET'],
      ['/webhook-subscriptions/whe_1', 'DELETE, GET'],
      ['/openapi.json', 'GET'],
      ['/_sandbox/reset', 'POST'],
    ] as const) {
      const { status, headers, body } = await sandbox.request('PATCH', path)
      expect([status, headers.get('allow'), body.code]).toEqual([405, allow, 'method_not_allowed'])
    }
  })

  test.each(['treasury', 'compliance', 'policy', 'assets', 'evidence-exports'])(
    'in the area %s, which is named and not published, are 501 and name the gap',
    async (area) => {
      const sandbox = await startTestSandbox()
      for (const [method, path] of [
        ['GET', `/v1/${area}`],
        ['POST', `/v1/${area}`],
        ['DELETE', `/v1/${area}/deep/below`],
      ] as const) {
        const { status, headers, body } = await sandbox.request(method, path)
        expect([status, body.code, headers.get('sandbox-assumption')]).toEqual([501, 'not_implemented', 'G6'])
      }
    },
  )
})
