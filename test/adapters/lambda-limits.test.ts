import { expect, test } from 'vitest'
import type { LambdaEvent } from '../../adapters/lambda.js'
import { deliveryOf, testSecret } from '../../src/testing/index.js'
import { restApi } from './lambda-callers.js'
import { build, incoming } from './lambda-rig.js'

const event = '{"id":"evt_1","type":"x","createdAt":"2026-01-02T03:04:05Z","data":{}}'

test.each([0, 1, 2])('a body in base64 with any padding may have maxBodyBytes: %d spaces', async (spaces) => {
  const bytes = Buffer.from(event + ' '.repeat(spaces))
  const { headers } = await deliveryOf(bytes)
  const body = bytes.toString('base64')
  const request = await incoming({ headers: Object.entries(headers), body, isBase64Encoded: true })
  const answer = (maxBodyBytes: number) =>
    build({ secret: () => testSecret, maxBodyBytes }).handle(restApi.toEvent(request) as LambdaEvent)
  expect((await answer(bytes.length)).statusCode).toBe(200)
  expect((await answer(bytes.length - 1)).statusCode).toBe(413)
})

test('an event without a path has no url', async () => {
  const urls: unknown[] = []
  const { handle } = build({
    secret: ({ url }) => {
      urls.push(url)
      return testSecret
    },
  })
  const { path, requestContext, ...without } = restApi.toEvent(await incoming()) as LambdaEvent & {
    path: string
    requestContext: object
  }
  await handle(without as LambdaEvent)
  expect(urls).toEqual([undefined])
  expect(path).toBeTypeOf('string')
})
