import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { shapeA, shapeB, startTestSandbox } from '../rig.js'

const wallet = { owner: 'cus_ada', currency: 'KES' }

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
