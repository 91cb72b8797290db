import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { shapeA, startReceiver, startTestSandbox, type TestSandbox } from '../rig.js'

const key = (value: string) => ({ 'Idempotency-Key': value })

const transfersIn = async (sandbox: TestSandbox): Promise<number> =>
  (await sandbox.get('/v1/transfers?limit=100')).body.data.length

describe('a POST with the Idempotency-Key of an earlier one', () => {
  test('returns the original result, runs nothing again and emits nothing again', async () => {
    const sandbox = await startTestSandbox()
    const receiver = await startReceiver()
    await sandbox.subscribe({ url: receiver.url, events: ['*'] })
    const first = await sandbox.post('/v1/transfers', shapeA(), key('k'))
    const again = await sandbox.post('/v1/transfers', shapeA(), key('k'))
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect([again.status, again.body]).toEqual([201, first.body])
    for (const name of ['location', 'content-type', 'sandbox-assumption']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    }
    await sandbox.advance({ seconds: 1 })
    await sandbox.idle()
    expect(await transfersIn(sandbox)).toBe(1)
    expect(receiver.types().sort()).toEqual(['ledger.matched', 'transfer.settled'])
  })

  test('returns the original result after the record has changed', async () => {
    const sandbox = await startTestSandbox()
    const first = await sandbox.post('/v1/transfers', shapeA(), key('k'))
    await sandbox.advance({ seconds: 1 })
    expect((await sandbox.post('/v1/transfers', shapeA(), key('k'))).body).toEqual(first.body)
  })

  test('works on every POST of the interface', async () => {
    const sandbox = await startTestSandbox()
    for (const [path, body] of [
      ['/v1/wallets', { owner: 'cus_ada', currency: 'EUR' }],
      ['/webhook-subscriptions', { url: 'http://127.0.0.1:9/', events: ['*'] }],
      ['/v1/webhook-subscriptions', { url: 'http://127.0.0.1:9/', events: ['*'] }],
    ] as const) {
      const first = await sandbox.post(path, body, key('k'))
      const again = await sandbox.post(path, body, key('k'))
      expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    }
  })

  test('twenty concurrent requests make one transfer; the others get its response, or 409 and the time to wait', async () => {
    const sandbox = await startTestSandbox()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sandbox.post('/v1/transfers', shapeA(), key('twenty'))),
    )
    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status === 409)
    expect(made.length).toBeGreaterThan(0)
    expect(made.length + refused.length).toBe(20)
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
    expect(made.filter(({ headers }) => !headers.get('idempotency-replayed'))).toHaveLength(1)
    for (const { headers } of refused) {
      expect(headers.get('retry-after')).toBe('1')
    }
    expect(await transfersIn(sandbox)).toBe(1)
    expect((await sandbox.post('/v1/transfers', shapeA(), key('twenty'))).body.id).toBe(made[0]?.body.id)
  })

  test('is 409 with Retry-After while the first is still being read', async () => {
    const sandbox = await startTestSandbox()
    const text = JSON.stringify(shapeA())
    const { host, port } = new URL(sandbox.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `POST /v1/transfers HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${sandbox.apiKey}\r\nIdempotency-Key: slow\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text.slice(0, 10)}`,
    )
    let second = await sandbox.post('/v1/transfers', shapeA(), key('probe'))
    while (second.status !== 409) {
      second = await sandbox.post('/v1/transfers', shapeA('sim_stuck'), key('slow'))
    }
    expect([second.body.code, second.headers.get('retry-after')]).toEqual(['idempotency_key_in_use', '1'])
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    socket.write(text.slice(10))
    expect(await answered).toMatch(/^HTTP\/1\.1 201 /)
  })

  test('and another body is 422, whatever the other body is', async () => {
    const sandbox = await startTestSandbox()
    await sandbox.post('/v1/transfers', shapeA(), key('k'))
    for (const body of [shapeA('sim_settle', { amount: '10.51' }), {}, '{', []]) {
      const { status, body: problem } = await sandbox.post('/v1/transfers', body, key('k'))
      expect([status, problem.code, problem.param]).toEqual([
        422,
        'idempotency_key_reused',
        'Idempotency-Key',
      ])
    }
    expect(await transfersIn(sandbox)).toBe(1)
  })

  test('and the same JSON in another key order or spacing is the same request', async () => {
    const sandbox = await startTestSandbox()
    const first = await sandbox.post('/v1/transfers', shapeA(), key('k'))
    const turned = Object.fromEntries(Object.entries(shapeA()).reverse())
    const again = await sandbox.post('/v1/transfers', JSON.stringify(turned, undefined, 4), key('k'))
    expect([again.status, again.body.id]).toEqual([201, first.body.id])
  })

  test('on another path, or with another key of the API, is another request', async () => {
    const sandbox = await startTestSandbox()
    const wallet = { owner: 'cus_ada', currency: 'EUR' }
    expect((await sandbox.post('/v1/transfers', shapeA(), key('k'))).status).toBe(201)
    expect((await sandbox.post('/v1/wallets', wallet, key('k'))).status).toBe(201)
    const headers = { ...key('k'), Authorization: 'Bearer sk_sandbox_readonly' }
    expect((await sandbox.post('/v1/wallets', wallet, headers)).status).toBe(403)
  })

  test('returns a 422 too, also once the request would succeed', async () => {
    const sandbox = await startTestSandbox()
    const poor = { source: 'wallet_kes_ada', amount: '1000000.01' }
    const first = await sandbox.post('/v1/transfers', shapeA('sim_settle', poor), key('k'))
    expect([first.status, first.body.code]).toEqual([422, 'insufficient_funds'])
    const gift = { source: 'wallet_kes_ben', destination: 'wallet_kes_ada', amount: 1, currency: 'KES' }
    await sandbox.post('/v1/transfers', { ...gift, rail: 'sim_settle' })
    await sandbox.advance({ seconds: 1 })
    const again = await sandbox.post('/v1/transfers', shapeA('sim_settle', poor), key('k'))
    expect([again.status, again.body]).toEqual([422, first.body])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await sandbox.post('/v1/transfers', shapeA('sim_settle', poor), key('new'))).status).toBe(201)
  })

  test('returns a 400, a 404, a 405 and a 415 too', async () => {
    const sandbox = await startTestSandbox()
    for (const [path, body, type, status] of [
      ['/v1/wallets', '{', 'application/json', 400],
      ['/v1/nope', '{}', 'application/json', 404],
      ['/v1/events', '{}', 'application/json', 405],
      ['/v1/wallets', 'x', 'text/plain', 415],
    ] as const) {
      const headers = { ...key(`k${status}`), 'Content-Type': type }
      const first = await sandbox.request('POST', path, body, headers)
      const again = await sandbox.request('POST', path, body, headers)
      expect([first.status, again.status, again.body]).toEqual([status, status, first.body])
      expect(again.headers.get('idempotency-replayed')).toBe('true')
    }
  })

  test('keeps no 401, 403, 413 or 429: the next request with the key runs', async () => {
    const sandbox = await startTestSandbox({ requestsPerSecond: 3 })
    const large = JSON.stringify(shapeA()).padEnd(262_145)
    const refused = [
      await sandbox.post('/v1/transfers', shapeA(), { ...key('k'), Authorization: 'Bearer wrong' }),
      await sandbox.post('/v1/transfers', shapeA(), {
        ...key('k'),
        Authorization: 'Bearer sk_sandbox_readonly',
      }),
      await sandbox.post('/v1/transfers', large, key('k')),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 413])
    let limited = await sandbox.get('/v1/wallets')
    while (limited.status !== 429) {
      limited = await sandbox.post('/v1/transfers', shapeA(), key('limited'))
    }
    let made = limited
    while (made.status === 429) {
      made = await sandbox.post('/v1/transfers', shapeA(), key('k'))
    }
    expect([made.status, made.headers.get('idempotency-replayed')]).toEqual([201, null])
  })

  test('gives no stored answer to another credential', async () => {
    const sandbox = await startTestSandbox()
    const made = await sandbox.post('/v1/transfers', shapeA(), key('k'))
    const headers = { ...key('k'), Authorization: 'Bearer sk_sandbox_readonly' }
    const other = await sandbox.post('/v1/transfers', shapeA(), headers)
    expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([403, null])
    expect(JSON.stringify(other.body)).not.toContain(made.body.id)
  })

  test('runs again after 24 hours of the clock of the sandbox', async () => {
    const sandbox = await startTestSandbox()
    await sandbox.post('/v1/transfers', shapeA(), key('k'))
    await sandbox.advance({ hours: 23, minutes: 59 })
    await sandbox.post('/v1/transfers', shapeA(), key('k'))
    expect(await transfersIn(sandbox)).toBe(1)
    await sandbox.advance({ minutes: 2 })
    await sandbox.post('/v1/transfers', shapeA(), key('k'))
    expect(await transfersIn(sandbox)).toBe(2)
  })
})

test.each(['', ' ', 'a b', 'ä', 'k'.repeat(256)])(
  'an Idempotency-Key must be 1 to 255 visible ASCII characters: %j is 400',
  async (value) => {
    const sandbox = await startTestSandbox()
    const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1')
    const text = JSON.stringify(shapeA())
    const head = [
      'POST /v1/transfers HTTP/1.1',
      `Host: ${new URL(sandbox.url).host}`,
      `Authorization: Bearer ${sandbox.apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      `Idempotency-Key: ${value}`,
    ]
    socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`, 'utf8'))
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    )
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  },
)
