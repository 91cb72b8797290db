import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ApiError } from '../src/index.js'
import { failureOf, json, quickClient, startService, wallet } from './setup/service.js'

const once = { retry: { maxRetries: 0 } }

async function failureAfter(...answer: Parameters<typeof json>): Promise<ApiError> {
  const service = await startService(json(...answer))
  const failure = await failureOf(quickClient(service.url, once).wallets.get(wallet.id))
  expect(failure).toBeInstanceOf(ApiError)
  return failure as ApiError
}

describe('an error tells what the service said, whatever its body is', () => {
  test('a problem document', async () => {
    const problem = {
      type: 'about:blank',
      title: 'Unprocessable',
      status: 422,
      detail: 'must have two fraction digits',
      code: 'invalid_request',
      param: 'amount',
      requestId: 'req_of_the_body',
    }
    const failure = await failureAfter(422, problem, {
      'content-type': 'application/problem+json',
      'request-id': 'req_1',
    })
    expect(failure).toMatchObject({
      status: 422,
      code: 'invalid_request',
      param: 'amount',
      requestId: 'req_1',
      method: 'GET',
      path: `/v1/wallets/${wallet.id}`,
      requests: 1,
      body: JSON.stringify(problem),
    })
    expect(failure.message).toBe(
      `GET /v1/wallets/${wallet.id}: 422 invalid_request param amount: must have two fraction digits`,
    )
  })

  test.each([
    ['a page', 502, '<html>Bad gateway</html>', 'text/html'],
    ['nothing', 500, '', 'application/json'],
    ['JSON that is cut off', 500, '{"title":"Internal', 'application/problem+json'],
    ['JSON that is no object', 500, '[1,2]', 'application/json'],
    ['null', 500, 'null', 'application/json'],
    ['text', 404, 'not found', 'text/plain'],
    ['bytes that are no text', 500, '\u0000\u0001', 'application/octet-stream'],
  ])('%s', async (_case, status, body, type) => {
    const failure = await failureAfter(status, body, { 'content-type': type })
    expect(failure).toMatchObject({ status, code: undefined, param: undefined, body })
    expect(failure.message).toContain(String(status))
  })

  test('a problem document under another content type', async () => {
    const failure = await failureAfter(403, '{"code":"forbidden"}', { 'content-type': 'text/plain' })
    expect(failure.code).toBe('forbidden')
  })

  test('a problem document with fields of other types', async () => {
    const failure = await failureAfter(400, {
      code: 7,
      param: null,
      title: {},
      detail: ['x'],
      requestId: false,
    })
    expect(failure).toMatchObject({ code: undefined, param: undefined, requestId: undefined })
  })

  test('a problem document with empty fields', async () => {
    const empty = { code: '', param: '', detail: '', title: 'No', requestId: 'req_of_the_body' }
    const failure = await failureAfter(400, empty, { 'request-id': '' })
    expect(failure).toMatchObject({ code: undefined, param: undefined, requestId: 'req_of_the_body' })
    expect(failure.message).toMatch(/: 400: No$/)
    expect(await failureAfter(400, { requestId: '' })).toMatchObject({ requestId: undefined })
  })

  test.each(['detail', 'code', 'param'])(
    'in one line of bounded length, whatever its %s is',
    async (field) => {
      const failure = await failureAfter(400, {
        [field]: `a\nFAKE LOG LINE\u2028\u001b[31m${'x'.repeat(9000)}`,
      })
      expect(failure.message).toMatch(/^[^\p{C}\u2028]{50,400}$/u)
    },
  )

  test('and does not print its body, which may hold personal data', async () => {
    const failure = await failureAfter(400, { phone: '+254712345678' })
    expect(failure.body).toContain('+254712345678')
    expect(inspect(failure)).not.toContain('+254712345678')
    expect(JSON.stringify(failure)).not.toContain('+254712345678')
  })

  test('without keeping more than 64 KiB of a body without end', async () => {
    let written = 0
    let isClosed = false
    const service = await startService((response) => {
      response.once('close', () => {
        isClosed = true
      })
      response.writeHead(500, { 'content-type': 'text/html' })
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {
          written++
        }
        if (!response.destroyed) {
          response.once('drain', more)
        }
      }
      more()
    })
    const failure = await failureOf(quickClient(service.url, once).wallets.get(wallet.id))
    expect((failure as ApiError).body).toHaveLength(65_536)
    expect(written).toBeLessThan(1000)
    await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true)
  })
})

describe('a response of 2xx', () => {
  test('keeps unknown fields and values', async () => {
    const grown = { ...wallet, status: 'frozen', limits: { daily: '1.00' }, balance: { held: '0.00' } }
    const service = await startService(json(200, grown))
    expect(await quickClient(service.url).wallets.get(wallet.id)).toEqual(grown)
  })

  test.each([200, 201, 202, 299])('is a result with status %i', async (status) => {
    const service = await startService(json(status, wallet))
    expect(await quickClient(service.url).wallets.get(wallet.id)).toEqual(wallet)
  })

  test('may have any content type and a byte order mark', async () => {
    const service = await startService(
      json(200, `\ufeff${JSON.stringify(wallet)}`, { 'content-type': 'text/html' }),
    )
    expect(await quickClient(service.url).wallets.get(wallet.id)).toEqual(wallet)
  })

  test.each([
    ['a page', '<html>Sign in to the network</html>'],
    ['nothing', ''],
    ['JSON that is cut off', '{"id":"wallet'],
    ['a list', '[]'],
    ['no id', '{}'],
    ['an id that is no string', '{"id":7}'],
  ])('with %s is an error and no result', async (_case, body) => {
    const service = await startService(json(201, body))
    const call = quickClient(service.url).wallets.create({ owner: 'cus_ada', currency: 'KES' })
    const failure = await failureOf(call)
    expect(failure).toMatchObject({ name: 'ApiError', status: 201, code: 'invalid_response', body })
    expect(failure).toMatchObject({ idempotencyKey: service.requests[0]?.headers['idempotency-key'] })
  })

  test('is read no further than maxResponseBytes, after decompression', async () => {
    const large = JSON.stringify({ ...wallet, text: 'x'.repeat(5_000_000) })
    const service = await startService((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(large))
    })
    const failure = await failureOf(
      quickClient(service.url, { maxResponseBytes: 100_000 }).wallets.get(wallet.id),
    )
    expect(failure).toMatchObject({ name: 'ApiError', code: 'response_too_large', status: 200 })
    expect((failure as ApiError).body).toHaveLength(100_000)
    expect(await quickClient(service.url).wallets.get(wallet.id)).toEqual(JSON.parse(large))
  })

  test('may be cut between the bytes of a character', async () => {
    const service = await startService((response) => {
      const bytes = Buffer.from(JSON.stringify({ ...wallet, note: 'Zoë €' }))
      const middle = bytes.indexOf('€') + 1
      response.writeHead(200).write(bytes.subarray(0, middle))
      setTimeout(() => response.end(bytes.subarray(middle)), 20)
    })
    expect(await quickClient(service.url).wallets.get(wallet.id)).toMatchObject({ note: 'Zoë €' })
  })

  test('without a body is the result of a delete', async () => {
    const service = await startService((response) => response.writeHead(204).end())
    expect(await quickClient(service.url).webhookSubscriptions.delete('whe_1')).toBeUndefined()
  })
})

test('a response that is no HTTP is a ConnectionError', async () => {
  const server = createServer()
  server.on('connection', (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const failure = await failureOf(quickClient(`http://127.0.0.1:${port}`, once).wallets.get(wallet.id))
  expect(failure).toMatchObject({ name: 'ConnectionError', requests: 1 })
})
