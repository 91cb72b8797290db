import { describe, expect, test } from 'vitest'
import { type ConnectionError, TimeoutError } from '../src/index.js'
import { failureOf, json, quickClient, silence, startService, wallet } from './setup/service.js'

const once = { retry: { maxRetries: 0 } }

describe('a call without a response', () => {
  const failing = (cause: unknown) =>
    quickClient('http://127.0.0.1:1', { ...once, fetch: () => Promise.reject(cause) })
  const create = (cause: unknown) =>
    failureOf(failing(cause).wallets.create({ owner: 'cus_ada', currency: 'KES' }, { idempotencyKey: 'k' }))

  test('says that nothing was sent where there was no connection', async () => {
    const failure = await create(
      new TypeError('failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) }),
    )
    expect(failure).toMatchObject({
      code: 'ENOTFOUND',
      mayHaveActed: false,
      message:
        'POST /v1/wallets: no connection to the service (ENOTFOUND). Nothing was sent. Is baseUrl right, and is the service running?',
    })
  })

  test('knows an open connection that has lost its route from one that was never made', async () => {
    const unreachable = (syscall: string) =>
      create(Object.assign(new Error(), { code: 'EHOSTUNREACH', syscall }))
    expect(await unreachable('connect')).toMatchObject({ mayHaveActed: false })
    for (const syscall of ['read', 'write']) {
      expect(await unreachable(syscall)).toMatchObject({ code: 'EHOSTUNREACH', mayHaveActed: true })
    }
  })

  test('says what to do where the service may have acted', async () => {
    const hint = '. The service may have acted: repeat the call with the idempotencyKey of this error'
    expect(await create(Object.assign(new Error(), { code: 'ECONNRESET' }))).toMatchObject({
      mayHaveActed: true,
      message: `POST /v1/wallets: no complete response from the service (ECONNRESET)${hint}`,
    })
    expect(await create('no error at all')).toMatchObject({
      code: undefined,
      message: `POST /v1/wallets: no complete response from the service (the connection failed)${hint}`,
    })
    const read = failing(Object.assign(new Error(), { code: 7 })).wallets.get(wallet.id)
    expect(await failureOf(read)).toMatchObject({
      code: undefined,
      message: `GET /v1/wallets/${wallet.id}: no complete response from the service (the connection failed)`,
    })
  })

  test.each([
    [
      'POST /v1/wallets',
      '. The service may have acted: repeat the call with the idempotencyKey of this error',
    ],
    [`GET /v1/wallets/${wallet.id}`, ''],
  ])('says how long it waited: %s', async (call, hint) => {
    const service = await startService(silence)
    const { wallets } = quickClient(service.url, { ...once, timeoutSeconds: 0.05 })
    const failure = await failureOf(
      call.startsWith('POST')
        ? wallets.create({ owner: 'cus_ada', currency: 'KES' })
        : wallets.get(wallet.id),
    )
    expect(failure).toBeInstanceOf(TimeoutError)
    expect(String(failure)).toBe(`TimeoutError: ${call}: no complete response within 0.05 s${hint}`)
  })

  test('finds the code of the system five causes deep, and no deeper', async () => {
    const nested = (depth: number): Error =>
      depth === 0
        ? Object.assign(new Error(), { code: 'ECONNREFUSED' })
        : new Error('outer', { cause: nested(depth - 1) })
    const codeOf = async (depth: number) => ((await create(nested(depth))) as ConnectionError).code
    expect([await codeOf(4), await codeOf(5)]).toEqual(['ECONNREFUSED', undefined])
    const circle = new Error('circle')
    circle.cause = circle
    expect(((await create(circle)) as ConnectionError).code).toBeUndefined()
  })
})

test('asks for JSON', async () => {
  const service = await startService(json(200, wallet))
  await quickClient(service.url).wallets.get(wallet.id)
  expect(service.requests[0]?.headers.accept).toBe('application/json, application/problem+json')
})
