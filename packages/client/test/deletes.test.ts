import { expect, test } from 'vitest'
import { ApiError } from '../src/index.js'
import { problem } from './setup/create-wallet.js'
import { failureOf, json, quickClient, reset, startService } from './setup/service.js'

test('a deleted subscription that is gone at the retry is deleted', async () => {
  const lost = await startService(reset, problem(404))
  await quickClient(lost.url).webhookSubscriptions.delete('whe_1')
  expect(lost.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE'])
  const never = await startService(problem(404))
  expect(await failureOf(quickClient(never.url).webhookSubscriptions.delete('whe_1'))).toBeInstanceOf(
    ApiError,
  )
})

test('a subscription that is not found after a request that the service refused was not deleted', async () => {
  const refused = await startService(problem(429), problem(404))
  expect(await failureOf(quickClient(refused.url).webhookSubscriptions.delete('whe_1'))).toMatchObject({
    status: 404,
    requests: 2,
  })
  const failed = await startService(problem(503), problem(429), problem(404))
  await quickClient(failed.url).webhookSubscriptions.delete('whe_1')
  expect(failed.requests).toHaveLength(3)
})

test('a delete that finds nothing at its first request fails', async () => {
  const service = await startService(json(404, { code: 'not_found' }))
  const call = quickClient(service.url).webhookSubscriptions.delete('whe_1')
  expect(await failureOf(call)).toMatchObject({ status: 404, requests: 1 })
})

test('a delete that may not be done fails, also at its second request', async () => {
  const service = await startService(reset, json(403, { code: 'forbidden' }))
  const call = quickClient(service.url).webhookSubscriptions.delete('whe_1')
  expect(await failureOf(call)).toMatchObject({ status: 403, requests: 2 })
})

test('a subscription that is not found after a request that never left was not deleted', async () => {
  const service = await startService(problem(404))
  let requests = 0
  const client = quickClient(service.url, {
    fetch: (request) => {
      requests++
      return requests === 1
        ? Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' }))
        : fetch(request)
    },
  })
  expect(await failureOf(client.webhookSubscriptions.delete('whe_1'))).toMatchObject({
    status: 404,
    requests: 2,
  })
})
