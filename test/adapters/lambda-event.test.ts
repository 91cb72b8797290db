import type {
  ALBEvent,
  ALBHandler,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  LambdaFunctionURLHandler,
} from 'aws-lambda'
import { describe, expect, test } from 'vitest'
import { toResponse } from '../../adapters/lambda/to-lambda-response.js'
import { type LambdaEvent, lambdaHandler } from '../../adapters/lambda.js'
import { codes } from '../../src/codes.js'
import {
  createReceiver,
  memoryStore,
  type ReceiveResult,
  type ReceiverOptions,
  type Schemas,
} from '../../src/index.js'
import { reject } from '../../src/result.js'
import { deliveryOf, fixture, testSecret } from '../../src/testing/index.js'
import {
  balancer,
  balancerWithLists,
  functionUrl,
  httpApi,
  type Incoming,
  lattice,
  latticeOne,
  restApi,
} from './lambda-gateway.js'

const callers = [restApi, httpApi, functionUrl, balancer, balancerWithLists, lattice, latticeOne]

type Options = ReceiverOptions<object, Schemas, unknown>

/** A function, and the lines of its log. */
function build(options: Partial<Options> = {}) {
  const results: ReceiveResult[] = []
  const receiver = createReceiver({
    secret: testSecret,
    store: memoryStore(),
    fallback: () => {},
    logger: false,
    onResult: (result) => results.push(result),
    ...options,
  } as ReceiverOptions<object, object & Schemas, unknown>)
  return { handle: lambdaHandler(receiver), receiver, results }
}

const incoming = async (changes: Partial<Incoming> = {}): Promise<Incoming> => {
  const { body, headers } = await fixture('transfer.settled', { id: 'evt_1' })
  return {
    method: 'POST',
    path: '/webhooks',
    query: '',
    headers: Object.entries(headers),
    body: body.toString('utf8'),
    isBase64Encoded: false,
    ...changes,
  }
}

const ok = { statusCode: 200, body: '{"outcome":"processed","eventId":"evt_1"}', isBase64Encoded: false }
const json = { 'content-type': 'application/json' }

describe('the response has the format of the caller', () => {
  test.each([
    [restApi, { ...ok, headers: json }],
    [httpApi, { ...ok, headers: json }],
    [functionUrl, { ...ok, headers: json }],
    [lattice, { ...ok, headers: json }],
    [latticeOne, { ...ok, headers: json }],
    [balancer, { ...ok, statusDescription: '200 OK', headers: json }],
    [
      balancerWithLists,
      { ...ok, statusDescription: '200 OK', multiValueHeaders: { 'content-type': ['application/json'] } },
    ],
  ])('$name', async (caller, expected) => {
    const event = caller.toEvent(await incoming()) as LambdaEvent
    expect(await build().handle(event)).toStrictEqual(expected)
  })

  test('a load balancer gets a reason phrase with every status', () => {
    const event = { requestContext: { elb: {} } }
    for (const code of Object.keys(codes) as (keyof typeof codes)[]) {
      expect(toResponse(reject(code), event, 'POST').statusDescription).toMatch(/^\d{3} [A-Z][A-Za-z ]+$/)
    }
    expect.assertions(Object.keys(codes).length)
  })

  test.each(callers)('HEAD has headers and no body: $name', async (caller) => {
    const event = caller.toEvent(await incoming({ method: 'HEAD', body: null })) as LambdaEvent
    const answer = await build().handle(event)
    expect(answer).toMatchObject({ statusCode: 405, body: '' })
    expect(JSON.stringify(answer)).toContain('"allow"')
  })
})

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
    })
    expect(results).toEqual([])
  })
})

describe('the remaining time of the function', () => {
  const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 2000).unref())
  const contextOf = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds })

  test('limits the handler, so that the response comes before the platform ends the function', async () => {
    const { handle, results } = build({ fallback: slow })
    const answer = await handle(restApi.toEvent(await incoming()) as LambdaEvent, contextOf(700))
    expect([answer.statusCode, results[0]?.code]).toEqual([503, 'handler_timeout'])
  })

  test('is not used up: half a second is left for the response', async () => {
    let reason: unknown
    const fallback: Options['fallback'] = (_event, { signal }) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
          resolve()
        })
      })
    await build({ fallback }).handle(restApi.toEvent(await incoming()) as LambdaEvent, contextOf(1000))
    expect(reason).toEqual(new Error('not done within 0.5 s'))
  })

  test('does not extend handlerTimeoutSeconds', async () => {
    const { handle } = build({ fallback: slow, handlerTimeoutSeconds: 0.1 })
    const answer = await handle(restApi.toEvent(await incoming()) as LambdaEvent, contextOf(900_000))
    expect(answer.statusCode).toBe(503)
  })

  test.each([undefined, {}, contextOf(Number.NaN)])('may be unknown: %j', async (context) => {
    const event = restApi.toEvent(await incoming()) as LambdaEvent
    expect((await build().handle(event, context as never)).statusCode).toBe(200)
  })
})

test('the handler has the types that AWS publishes', () => {
  const { handle } = build()
  const rest: APIGatewayProxyHandler = handle
  const http: APIGatewayProxyHandlerV2 = handle
  const url: LambdaFunctionURLHandler = handle
  const alb: ALBHandler = handle
  const events: LambdaEvent[] = [{} as APIGatewayProxyEvent, {} as APIGatewayProxyEventV2, {} as ALBEvent]
  expect([rest, http, url, alb, events.length]).toEqual([handle, handle, handle, handle, 3])
})
