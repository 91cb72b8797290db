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
import type { LambdaEvent } from '../../adapters/lambda.js'
import { codes } from '../../src/codes.js'
import { reject } from '../../src/result.js'
import {
  balancer,
  balancerWithLists,
  functionUrl,
  httpApi,
  lattice,
  latticeOne,
  restApi,
} from './lambda-callers.js'
import { build, callers, incoming, json, type Options } from './lambda-rig.js'

const ok = { statusCode: 200, body: '{"outcome":"processed","eventId":"evt_1"}', isBase64Encoded: false }

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

describe('the remaining time of the function', () => {
  const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 2000).unref())
  const contextOf = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds })

  test('limits the handler, so that the response comes before the platform ends the function', async () => {
    const { handle, results } = build({ fallback: slow })
    const answer = await handle(restApi.toEvent(await incoming()) as LambdaEvent, contextOf(700))
    expect([answer.statusCode, results[0]?.code]).toEqual([503, 'handler_timeout'])
    expect(results[0]).toMatchObject({
      detail: expect.stringMatching(/^the platform left 0\.[12]\d{0,2} s$/),
    })
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
