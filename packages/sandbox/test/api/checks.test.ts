import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { shapeA, shapeB, startTestSandbox } from '../rig.js'
import { checked } from '../setup/described.js'

const wallet = { owner: 'cus_ada', currency: 'KES' }

describe('authentication', () => {
  test.each([
    ['no header', {}],
    ['Basic', { Authorization: 'Basic c2tfc2FuZGJveF9sb2NhbDo=' }],
    ['another key', { Authorization: 'Bearer sk_sandbox_other' }],
    ['an empty key', { Authorization: 'Bearer ' }],
    ['two keys', { Authorization: 'Bearer sk_sandbox_local, Bearer sk_sandbox_local' }],
    ['the key without its scheme', { Authorization: 'sk_sandbox_local' }],
  ])('rejects %s with 401 and a challenge', async (name, headers) => {
    const sandbox = await startTestSandbox()
    const response = await fetch(`${sandbox.url}/v1/wallets`, { headers: headers as Record<string, string> })
    expect(response.status).toBe(401)
    const challenge = name === 'no header' ? 'Bearer' : 'Bearer error="invalid_token"'
    expect(response.headers.get('www-authenticate')).toBe(challenge)
    expect(await response.json()).toMatchObject({ code: 'unauthorized', status: 401 })
  })

  test('rejects the header given twice, whichever of the two has the key', async () => {
    const sandbox = await startTestSandbox()
    const { port, host } = new URL(sandbox.url)
    const good = `Bearer ${sandbox.apiKey}`
    for (const values of [
      [good, good],
      [good, 'Bearer other'],
      ['Bearer other', good],
    ]) {
      const socket = connect(Number(port), '127.0.0.1')
      const headers = values.map((value) => `Authorization: ${value}\r\n`).join('')
      socket.write(`GET /v1/wallets HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`)
      const answer = await new Promise<string>((resolve) =>
        socket.once('data', (data) => resolve(String(data))),
      )
      socket.destroy()
      expect([values, answer.slice(0, 12)]).toEqual([values, 'HTTP/1.1 401'])
    }
  })

  test('takes the scheme in any case', async () => {
    const sandbox = await startTestSandbox()
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const headers = { Authorization: `${scheme} ${sandbox.apiKey}` }
      expect((await fetch(`${sandbox.url}/v1/wallets`, { headers })).status).toBe(200)
    }
  })

  test('lets the read-only key read and nothing else', async () => {
    const sandbox = await startTestSandbox()
    const headers = { Authorization: 'Bearer sk_sandbox_readonly' }
    expect((await sandbox.request('GET', '/v1/wallets', undefined, headers)).status).toBe(200)
    const post = await sandbox.post('/v1/wallets', wallet, headers)
    expect([post.status, post.body.code]).toEqual([403, 'forbidden'])
    const remove = await sandbox.request('DELETE', '/webhook-subscriptions/whe_1', undefined, headers)
    expect(remove.status).toBe(403)
  })

  test('takes the key of the options', async () => {
    const sandbox = await startTestSandbox({ apiKey: 'my-key' })
    expect((await sandbox.get('/v1/wallets')).status).toBe(200)
    const headers = { Authorization: 'Bearer sk_sandbox_local' }
    expect((await sandbox.request('GET', '/v1/wallets', undefined, headers)).status).toBe(401)
  })

  test('comes before every other check, and the others follow in their order', async () => {
    const sandbox = await startTestSandbox()
    const bad = { type: 'text/plain', body: '{' }
    const send = async (key: string, type: string, body: string) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type }
      return (await sandbox.request('POST', '/v1/transfers', body, headers)).status
    }
    expect(await send('wrong', bad.type, bad.body)).toBe(401)
    expect(await send(sandbox.apiKey, bad.type, bad.body)).toBe(415)
    expect(await send(sandbox.apiKey, 'application/json', bad.body)).toBe(400)
    expect(await send(sandbox.apiKey, 'application/json', '{}')).toBe(422)
    const poor = JSON.stringify(shapeA('sim_settle', { amount: '1000000.01' }))
    const { body } = await sandbox.post('/v1/transfers', poor)
    expect(body.code).toBe('insufficient_funds')
  })
})

describe('bodies', () => {
  test.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['application/vnd.api+json', 201],
    ['APPLICATION/JSON', 201],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
    ['', 415],
  ])('must be JSON: Content-Type %j is answered with %i', async (type, status) => {
    const sandbox = await startTestSandbox()
    // A Blob without a type keeps fetch from adding a Content-Type.
    const response = await fetch(`${sandbox.url}/v1/wallets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${sandbox.apiKey}`, ...(type && { 'Content-Type': type }) },
      body: new Blob([JSON.stringify(wallet)]),
    })
    expect(response.status).toBe(status)
  })

  test.each([
    ['cut off', '{"owner":'],
    ['empty', ''],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['nested deeper than 64 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['nested as deep as the limit of bytes allows', '['.repeat(131_072) + ']'.repeat(131_072)],
    ['nested in objects', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
  ])('that are %s are 400, with an Idempotency-Key too', async (_, body) => {
    const sandbox = await startTestSandbox()
    for (const headers of [{}, { 'Idempotency-Key': 'bomb' }, { 'Idempotency-Key': 'bomb' }]) {
      const response = await fetch(`${sandbox.url}/v1/wallets`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${sandbox.apiKey}`,
          'Content-Type': 'application/json',
          ...headers,
        },
        body,
      })
      expect([response.status, (await response.json()).code]).toEqual([400, 'malformed_request'])
    }
  })

  test.each([
    ['identity', 201],
    ['gzip', 415],
    ['br', 415],
    ['gzip, identity', 415],
  ])('with Content-Encoding %s are answered with %i', async (encoding, status) => {
    const sandbox = await startTestSandbox()
    const answer = await sandbox.post('/v1/wallets', wallet, { 'Content-Encoding': encoding })
    expect(answer.status).toBe(status)
    if (status === 415) {
      expect(answer.body.code).toBe('unsupported_media_type')
    }
  })

  test('may have texts of 255 characters and not one more', async () => {
    const sandbox = await startTestSandbox()
    const text = (length: number) => 'x'.repeat(length)
    const rail = (length: number) => shapeB(text(length))
    const network = (length: number) => shapeA(text(length))
    const type = (length: number) =>
      shapeA('sim_settle', { destination: { type: text(length), network: 'sim_settle' } })
    // At 255 characters the text is read, and no such rail exists.
    for (const [body, param, code] of [
      [rail, 'rail', 'unknown_rail'],
      [network, 'destination.network', 'unknown_network'],
      [type, 'destination.type', 'unknown_destination_type'],
    ] as const) {
      const [fits, tooLong] = [
        await sandbox.post('/v1/transfers', body(255)),
        await sandbox.post('/v1/transfers', body(256)),
      ]
      expect([fits.status, fits.body.code, fits.body.param]).toEqual([422, code, param])
      expect([tooLong.status, tooLong.body.code, tooLong.body.param]).toEqual([422, 'invalid_request', param])
    }
    const subscription = (changes: object) =>
      sandbox.post('/webhook-subscriptions', { url: 'http://127.0.0.1:9/', events: ['*'], ...changes })
    expect((await subscription({ description: text(255), events: [text(255)] })).status).toBe(201)
    expect((await subscription({ description: text(256) })).body.param).toBe('description')
    expect((await subscription({ events: [text(256)] })).body.param).toBe('events[0]')
    const cursor = await sandbox.get(`/v1/wallets?cursor=${text(256)}`)
    expect([cursor.status, cursor.body.detail]).toEqual([422, 'cursor must have at most 255 characters.'])
  })

  test('may have 256 KiB and not one byte more, also where no length is declared', async () => {
    const sandbox = await startTestSandbox()
    const text = JSON.stringify(wallet)
    const send = async (bytes: number, isChunked: boolean) => {
      const body = text.padEnd(bytes, ' ')
      const response = await fetch(`${sandbox.url}/v1/wallets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${sandbox.apiKey}`, 'Content-Type': 'application/json' },
        body: isChunked ? new Blob([body]).stream() : body,
        ...(isChunked && { duplex: 'half' }),
      } as RequestInit)
      return response.status
    }
    for (const isChunked of [false, true]) {
      expect(await send(262_144, isChunked)).toBe(201)
      expect(await send(262_145, isChunked)).toBe(413)
    }
  })

  test('of a huge declared length are rejected before they arrive', async () => {
    const sandbox = await startTestSandbox()
    const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1')
    socket.write(
      `POST /v1/wallets HTTP/1.1\r\nHost: ${new URL(sandbox.url).host}\r\nAuthorization: Bearer ${sandbox.apiKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{',
    )
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    )
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('with keys such as __proto__ change nothing', async () => {
    const sandbox = await startTestSandbox()
    const text = '{"owner":"cus_ada","currency":"KES","__proto__":{"polluted":true}}'
    const { status } = await sandbox.post('/v1/wallets', text)
    expect(status).toBe(422)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

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

describe('answers', () => {
  test('are held to openapi.json in these tests', async () => {
    const sandbox = await startTestSandbox()
    const before = checked.answers
    await sandbox.get('/v1/wallets')
    await sandbox.get('/v1/nope')
    expect(checked.answers).toBe(before + 2)
  })

  test('are 429 with Retry-After above the rate of the options', async () => {
    const sandbox = await startTestSandbox({ requestsPerSecond: 2 })
    const answers = await Promise.all([1, 2, 3].map(() => sandbox.get('/v1/wallets')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(refused?.body.code).toBe('rate_limited')
  })

  test('are the same without a port', async () => {
    const sandbox = await startTestSandbox()
    const request = new Request('http://sandbox.test/v1/wallets/wallet_kes_ada', {
      headers: { Authorization: `Bearer ${sandbox.apiKey}` },
    })
    const response = await sandbox.fetch(request)
    expect([response.status, await response.json()]).toEqual([
      200,
      (await sandbox.get('/v1/wallets/wallet_kes_ada')).body,
    ])
  })
})
