import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient, UsageError } from '../src/index.js'
import { failureOf, json, key, quickClient, reset, startService, wallet } from './setup/service.js'

describe('auth', () => {
  test('sends the key as a bearer credential', async () => {
    const service = await startService(json(200, wallet))
    await quickClient(service.url).wallets.get(wallet.id)
    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
  })

  test('asks a function for the headers of each request, retries included', async () => {
    const service = await startService(reset, json(200, wallet))
    const asked: unknown[] = []
    const client = createClient({
      baseUrl: service.url,
      retry: { firstPauseSeconds: 0 },
      auth: async (request) => {
        asked.push(request)
        return { authorization: `Bearer token_${asked.length}`, 'x-tenant': 'one' }
      },
    })
    await client.wallets.get(wallet.id)
    const url = `${service.url}/v1/wallets/${wallet.id}`
    expect(asked).toEqual([
      { method: 'GET', url },
      { method: 'GET', url },
    ])
    expect(service.requests[1]?.headers).toMatchObject({ authorization: 'Bearer token_2', 'x-tenant': 'one' })
  })

  test('gives the function the address that is requested', async () => {
    const service = await startService(json(200, { data: [], hasMore: false }))
    const asked: string[] = []
    const sent: string[] = []
    const client = createClient({
      baseUrl: service.url,
      auth: ({ url }) => {
        asked.push(url)
        return {}
      },
      fetch: (request) => {
        sent.push(request.url)
        return fetch(request)
      },
    })
    await client.wallets.list().page()
    await client.wallets.list().page({ limit: 7, cursor: 'a b' })
    expect(asked).toEqual([`${service.url}/v1/wallets`, `${service.url}/v1/wallets?limit=7&cursor=a+b`])
    expect(sent).toEqual(asked)
  })

  test.each([
    ['an error', new Error('the vault is sealed')],
    ['an error of HTTP', Object.assign(new Error('the vault is sealed'), { status: 503 })],
    ['nothing', undefined],
  ])('passes on what the function throws, without a retry: %s', async (_case, broken) => {
    const service = await startService(json(200, wallet))
    let calls = 0
    const client = createClient({
      baseUrl: service.url,
      auth: () => {
        calls++
        throw broken
      },
    })
    expect(await failureOf(client.wallets.get(wallet.id))).toBe(broken)
    expect(calls).toBe(1)
    expect(service.requests).toEqual([])
  })

  test('does not let a header of a call replace the credential or the idempotency key', async () => {
    const service = await startService(json(201, wallet))
    const headers = {
      authorization: 'Basic x',
      'Idempotency-Key': 'mine',
      'Content-Type': 'text/plain',
      trace: 'abc',
    }
    await quickClient(service.url).wallets.create(
      { owner: 'cus_ada', currency: 'KES' },
      { headers, idempotencyKey: 'given' },
    )
    expect(service.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'idempotency-key': 'given',
      'content-type': 'application/json',
      trace: 'abc',
    })
  })

  test('follows no redirect, because it would send the credential to another address', async () => {
    const other = await startService(json(200, wallet))
    const service = await startService((response) => {
      response.writeHead(307, { location: `${other.url}/v1/wallets/${wallet.id}` }).end()
    })
    const failure = await failureOf(quickClient(service.url).wallets.get(wallet.id))
    expect(failure).toMatchObject({
      name: 'ApiError',
      status: 307,
      message: expect.stringContaining('redirects'),
    })
    expect(other.requests).toEqual([])
    expect(service.requests).toHaveLength(1)
  })

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['with a line break', `${key}\n`],
    ['with a space', `${key} `],
    ['not ASCII', 'sk_ключ'],
    ['the text of a missing value', 'undefined'],
    ['the text of an empty value', 'null'],
    ['not a string', 7],
  ])('rejects a key that is %s, without showing it', (_case, apiKey) => {
    const options = { baseUrl: 'https://api.example.com', apiKey } as unknown as ClientOptions
    const failure = thrownBy(() => createClient(options))
    expect(failure).toMatchObject({ name: 'UsageError', code: 'invalid_option' })
    expect(inspect(failure)).not.toContain(key)
  })

  test('rejects a key together with a function, and an auth that is not a function', () => {
    const both = {
      baseUrl: 'https://api.example.com',
      apiKey: key,
      auth: () => ({}),
    } as unknown as ClientOptions
    expect(() => createClient(both)).toThrow(UsageError)
    const text = { baseUrl: 'https://api.example.com', auth: 'bearer' } as unknown as ClientOptions
    expect(() => createClient(text)).toThrow(UsageError)
  })

  test('rejects a header that HTTP does not allow, without showing it', async () => {
    const service = await startService(json(200, wallet))
    const client = createClient({ baseUrl: service.url, auth: () => ({ authorization: `Bearer ${key}\n1` }) })
    const failure = await failureOf(client.wallets.get(wallet.id))
    expect(failure).toMatchObject({ name: 'UsageError', code: 'invalid_header' })
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain(key)
    expect(service.requests).toEqual([])
  })
})

describe('the credential appears nowhere else', () => {
  const echo = json(401, { title: 'Unauthorized', detail: `no key ${key}`, code: 'unauthorized' })

  test.each([
    ['an answer that repeats it', echo, 'ApiError'],
    ['a page that repeats it', json(200, `<p>Bearer ${key}</p>`), 'ApiError'],
    ['a connection that ends', reset, 'ConnectionError'],
  ])('not in the error after %s', async (_case, behavior, name) => {
    const service = await startService(behavior)
    const failure = await failureOf(quickClient(service.url).wallets.get(wallet.id))
    expect(failure).toMatchObject({ name })
    const shown = [
      inspect(failure, { depth: 9, showHidden: true, getters: true }),
      JSON.stringify(failure),
      String((failure as { body?: string }).body),
      String((failure as Error).stack),
    ].join()
    expect(shown).not.toContain(key)
  })

  test('in its place stands what was removed, and values of fewer than 8 characters stay', async () => {
    const headers = { authorization: 'Bearer secret_8', 'x-tenant': 'seven_7' }
    const service = await startService(json(401, 'no secret_8 Bearer secret_8 seven_7 eight_08'))
    const client = createClient({
      baseUrl: service.url,
      auth: () => ({ ...headers, 'x-key': 'eight_08' }),
    })
    expect(await failureOf(client.wallets.get(wallet.id))).toMatchObject({
      body: 'no [credential] [credential] seven_7 [credential]',
    })
  })

  test('not in what inspect shows of a client', () => {
    const client = quickClient('https://api.example.com')
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(key)
    expect(JSON.stringify(client)).not.toContain(key)
  })

  test('not over http: to another machine, unless the option allows it', () => {
    const insecure = { baseUrl: 'http://api.example.com', apiKey: key }
    expect(thrownBy(() => createClient(insecure))).toMatchObject({ code: 'insecure_base_url' })
    createClient({ ...insecure, allowInsecureHttp: true })
  })
})

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown')
}
