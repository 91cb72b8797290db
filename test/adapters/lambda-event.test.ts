import { describe, expect, test } from 'vitest'
import type { LambdaEvent } from '../../adapters/lambda.js'
import { deliveryOf, testSecret } from '../../src/testing/index.js'
import { balancer, balancerWithLists, functionUrl, httpApi, lattice, restApi } from './lambda-callers.js'
import { build, callers, incoming, json } from './lambda-rig.js'

describe('the body is the exact bytes', () => {
  const bytes = Buffer.from(
    '{"id":"evt_1","type":"x","createdAt":"2026-01-02T03:04:05Z","data":{"n":"\u{1f4b8}é\u007f\\u0000 \u2028"}}',
  )

  test.each(callers)('from base64 and from text: $name', async (caller) => {
    for (const isBase64Encoded of [true, false]) {
      const { handle, results } = build({ secret: () => testSecret })
      const { headers } = await deliveryOf(bytes)
      const body = bytes.toString(isBase64Encoded ? 'base64' : 'utf8')
      const request = await incoming({ headers: Object.entries(headers), body, isBase64Encoded })
      await handle(caller.toEvent(request) as LambdaEvent)
      expect(Buffer.from(results[0]?.event?.raw ?? []).equals(bytes)).toBe(true)
    }
  })

  test('a missing body is empty, and unsigned', async () => {
    const { handle } = build()
    for (const body of [null, undefined, '']) {
      const answer = await handle({ httpMethod: 'POST', headers: json, body })
      expect(answer).toMatchObject({ statusCode: 401, body: expect.stringContaining('missing_signature') })
    }
  })

  test.each([
    ['parsed it', { isBase64Encoded: false }, (text: string) => JSON.parse(text)],
    ['decoded it and left isBase64Encoded', { isBase64Encoded: true }, (text: string) => text],
  ])('a middleware that %s is named to the operator', async (_, changes, change) => {
    const { handle, results } = build()
    const event = httpApi.toEvent(await incoming(changes)) as LambdaEvent & { body: string }
    const answer = await handle({ ...event, body: change(event.body) })
    expect(answer).toMatchObject({ statusCode: 500, body: expect.stringContaining('body_already_read') })
    expect(results[0]).toMatchObject({ outcome: 'failed', code: 'body_already_read' })
  })

  test.each([true, false])('one byte over maxBodyBytes is too large; base64: %s', async (isBase64Encoded) => {
    const request = await incoming()
    const size = Buffer.byteLength(request.body as string)
    const body = isBase64Encoded ? Buffer.from(request.body as string).toString('base64') : request.body
    const event = restApi.toEvent({ ...request, body, isBase64Encoded }) as LambdaEvent
    expect((await build({ maxBodyBytes: size }).handle(event)).statusCode).toBe(200)
    expect((await build({ maxBodyBytes: size - 1 }).handle(event)).statusCode).toBe(413)
    expect((await build({ maxBodyBytes: size - 9 }).handle(event)).statusCode).toBe(413)
  })
})

test('base64 far over maxBodyBytes is not decoded', async () => {
  // The body is read only after a well-formed signature.
  const headers = { ...json, 'service-signature': `t=1700000000,v1=${'0'.repeat(64)}` }
  const event = { httpMethod: 'POST', headers, body: '!'.repeat(2000), isBase64Encoded: true }
  expect((await build({ maxBodyBytes: 1000 }).handle(event)).statusCode).toBe(413)
  expect((await build({ maxBodyBytes: 2000 }).handle(event)).statusCode).toBe(500)
})

describe('headers', () => {
  const twice = async (...names: string[]) => {
    const request = await incoming()
    const signature = request.headers.find(([name]) => name === 'service-signature')?.[1] as string
    const others = request.headers.filter(([name]) => name !== 'service-signature')
    return { ...request, headers: [...others, ...names.map((name) => [name, signature] as const)] }
  }

  test.each([
    [restApi, 'malformed_signature'],
    [httpApi, 'malformed_signature'],
    [functionUrl, 'malformed_signature'],
    [balancerWithLists, 'malformed_signature'],
  ])('a repeated signature is rejected: $name', async (caller, code) => {
    const event = caller.toEvent(await twice('Service-Signature', 'Service-Signature')) as LambdaEvent
    expect((await build().handle(event)).body).toContain(code)
  })

  test('a signature header repeated in another case is rejected', async () => {
    const event = restApi.toEvent(await twice('Service-Signature', 'service-signature')) as LambdaEvent
    expect(Object.keys(event.multiValueHeaders ?? {})).toHaveLength(4)
    expect((await build().handle(event)).body).toContain('malformed_signature')
  })

  test('a console test without headers gets a response', async () => {
    const answer = await build().handle({ httpMethod: 'POST', headers: null, multiValueHeaders: null })
    expect(answer.statusCode).toBe(415)
  })
})

test.each(callers)('the secret resolver gets the path and query: $name', async (caller) => {
  const seen: unknown[] = []
  const { handle } = build({
    secret: (request) => {
      seen.push(request.url, request.source)
      return testSecret
    },
  })
  const request = await incoming({ path: '/t/acme', query: 'a=1&b=x%26y%20z&a=2&empty=' })
  const event = caller.toEvent(request) as LambdaEvent
  expect((await handle(event)).statusCode).toBe(200)
  const lastOfEach = '/t/acme?a=2&b=x%26y%20z&empty='
  const grouped = '/t/acme?a=1&a=2&b=x%26y%20z&empty='
  const expected = {
    [restApi.name]: grouped,
    [balancerWithLists.name]: grouped,
    [lattice.name]: grouped,
    [balancer.name]: lastOfEach,
  }
  expect(seen).toEqual([expected[caller.name] ?? '/t/acme?a=1&b=x%26y%20z&a=2&empty=', event])
})

test('a header or a parameter that a program left without a value is missing', async () => {
  const urls: unknown[] = []
  const { handle } = build({
    secret: ({ url }) => {
      urls.push(url)
      return testSecret
    },
  })
  const event = restApi.toEvent(await incoming({ path: '/t', query: 'a=1' })) as LambdaEvent
  const multiValueQueryStringParameters = { a: ['1'], b: undefined }
  expect((await handle({ ...event, multiValueQueryStringParameters })).statusCode).toBe(200)
  expect(urls).toEqual(['/t?a=1'])
  const headers = { ...json, 'service-signature': undefined }
  const answer = await handle({ httpMethod: 'POST', headers, body: event.body })
  expect(answer.body).toContain('missing_signature')
})

describe('an event that is not an HTTP request throws for the developer', () => {
  test.each([
    ['a queue', { Records: [{ messageId: '1', body: '{}', eventSource: 'aws:sqs' }] }],
    ['a schedule', { version: '0', 'detail-type': 'Scheduled Event', source: 'aws.events', detail: {} }],
    ['a web socket', { requestContext: { routeKey: '$connect', connectionId: 'x' }, isBase64Encoded: false }],
    ['nothing', undefined],
  ])('%s', async (_, event) => {
    const { handle, results } = build()
    await expect(handle(event as unknown as LambdaEvent)).rejects.toMatchObject({
      name: 'ConfigurationError',
      code: 'unsupported_event',
      detail: expect.stringMatching(
        /^the event is not an HTTP request\. Connect the function to API Gateway, /,
      ),
    })
    expect(results).toEqual([])
  })
})
