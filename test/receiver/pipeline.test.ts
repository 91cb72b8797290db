import { afterEach, describe, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import type { ReceiveRequest } from '../../src/request.js'
import { memoryStore } from '../../src/stores/memory.js'
import { deferred } from '../store/scripted-leases.js'
import { removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, now, secret, settled } from './deliver.js'
import { scriptedStore } from './scripted-store.js'

const base = { secret, now: clock, logger: false } as const

afterEach(() => {
  removeFiles()
  vi.restoreAllMocks()
})

describe('before the signature is verified, nothing is parsed and no store is called', () => {
  it.each<[string, Parameters<typeof delivery>[1]]>([
    ['unsigned', { headers: { 'service-signature': undefined } }],
    ['malformed', { headers: { 'service-signature': 't=1' } }],
    ['forged', { secret: 'whsec_other' }],
    ['stale', { timestamp: now - 301 }],
    ['forged and stale', { secret: 'whsec_other', timestamp: 1 }],
    ['of another body', { request: { body: new TextEncoder().encode(JSON.stringify(settled, null, 1)) } }],
  ])('%s', async (_, options) => {
    const request = await delivery(settled, options)
    const store = scriptedStore()
    const touched = vi.fn()
    const validate = vi.fn(() => ({ value: {} }))
    const receiver = createReceiver({
      ...base,
      store,
      handlers: { 'transfer.settled': touched },
      fallback: touched,
      schemas: { 'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate } } },
    })
    const parse = vi.spyOn(JSON, 'parse')
    const decode = vi.spyOn(TextDecoder.prototype, 'decode')
    const result = await receiver.receive(request)
    expect(result).toMatchObject({ outcome: 'rejected', status: 401 })
    expect(result.event).toBeUndefined()
    for (const spy of [parse, decode, touched, validate]) {
      expect(spy).not.toHaveBeenCalled()
    }
    expect(store.calls).toEqual([])
  })

  it('as the spies would have recorded', async () => {
    const request = await delivery()
    const parse = vi.spyOn(JSON, 'parse')
    const decode = vi.spyOn(TextDecoder.prototype, 'decode')
    const store = scriptedStore()
    await createReceiver({ ...base, store, fallback: () => {} }).receive(request)
    expect(parse).toHaveBeenCalled()
    expect(decode).toHaveBeenCalled()
    expect(store.calls).toEqual(['check', 'once'])
  })
})

describe('the order of rejections', () => {
  /** This delivery has every fault. Each step fixes one, and the next fault is rejected. */
  it('is admission, reading, signature, freshness, encoding, JSON, envelope, id, environment, data', async () => {
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      environments: ['production'],
      fallback: () => {},
    })
    const codes: unknown[] = []
    const attempt = async (body: Uint8Array | string | object, options: Parameters<typeof delivery>[1]) => {
      codes.push((await receiver.receive(await delivery(body, options))).code)
    }
    const bad = Uint8Array.of(0xff)
    const stale = { secret: 'whsec_other', timestamp: 1 }
    const headers = {
      'service-event-id': 'evt_other',
      'content-type': 'text/plain',
      'content-encoding': 'gzip',
      'content-length': '9999999',
    }
    await attempt(bad, { ...stale, headers, request: { method: 'PUT' } })
    await attempt(bad, { ...stale, headers })
    await attempt(bad, { ...stale, headers: { ...headers, 'content-type': 'application/json' } })
    await attempt(bad, {
      ...stale,
      headers: { 'service-event-id': 'evt_other', 'content-length': '9999999' },
    })
    const mismatch = { headers: { 'service-event-id': 'evt_other' } }
    await attempt(bad, { ...stale, ...mismatch, request: { body: async () => 'body_incomplete' } })
    await attempt(bad, { ...stale, ...mismatch })
    await attempt(bad, { timestamp: 1, ...mismatch })
    await attempt(bad, mismatch)
    await attempt('{', mismatch)
    await attempt('{}', mismatch)
    const wrongData = { ...settled, data: {} }
    await attempt(wrongData, mismatch)
    await attempt(wrongData, {})
    await attempt({ ...wrongData, environment: 'production' }, {})
    await attempt({ ...settled, environment: 'production' }, {})
    expect(codes).toEqual([
      'method_not_allowed',
      'unsupported_media_type',
      'unsupported_content_encoding',
      'body_too_large',
      'body_incomplete',
      'signature_mismatch',
      'timestamp_out_of_tolerance',
      'invalid_encoding',
      'invalid_json',
      'invalid_envelope',
      'event_id_mismatch',
      'environment_not_allowed',
      'invalid_data',
      undefined,
    ])
  })
})

describe('secrets from a resolver', () => {
  const tenants: Record<string, string> = { '/a': 'whsec_of_tenant_a', '/b': 'whsec_of_tenant_b' }
  const resolve = async ({ url }: ReceiveRequest) => tenants[url ?? ''] as string

  it('belong to the tenant', async () => {
    const receiver = createReceiver({ ...base, secret: resolve, store: memoryStore(), fallback: () => {} })
    const outcome = async (url: string, secret: string) => {
      const { code, outcome } = await receiver.receive({ ...(await delivery(settled, { secret })), url })
      return code ?? outcome
    }
    expect(await outcome('/a', 'whsec_of_tenant_b')).toBe('signature_mismatch')
    expect(await outcome('/a', 'whsec_of_tenant_a')).toBe('processed')
    expect(await outcome('/b', 'whsec_of_tenant_b')).toBe('duplicate')
    expect(await outcome('/c', 'whsec_of_tenant_a')).toBe('secret_unavailable')
  })

  it('may be several, and may be returned without a promise', async () => {
    const receiver = createReceiver({
      ...base,
      secret: () => ['whsec_test_secret_new', secret],
      store: memoryStore(),
      fallback: () => {},
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('vault')
      },
    ],
    ['rejects', () => Promise.reject(new Error('vault'))],
    ['returns nothing', () => undefined],
    ['returns an empty list', () => []],
    ['returns an empty secret', () => ''],
    ['returns a padded secret', async () => 'whsec \n'],
    ['returns a number', async () => 7],
  ])('that %s: 503, with the cause for the operator and no store call', async (_, resolver) => {
    const store = scriptedStore()
    const receiver = createReceiver({ ...base, secret: resolver as () => string, store, fallback: () => {} })
    const result = await receiver.receive(await delivery())
    expect(result).toMatchObject({ code: 'secret_unavailable', status: 503, cause: expect.any(Error) })
    expect(store.calls).toEqual([])
  })

  it('that are slow give 503 in time, and a late rejection is handled', async () => {
    const vault = deferred<string>()
    const receiver = createReceiver({
      ...base,
      secret: () => vault.promise,
      store: memoryStore(),
      fallback: () => {},
    })
    const result = await receiver.receive({ ...(await delivery()), budgetSeconds: 0.05 })
    expect(result).toMatchObject({
      code: 'secret_unavailable',
      detail: 'the resolver took longer than 0.05 s',
    })
    vault.reject(new Error('late'))
    await new Promise((resolve) => setTimeout(resolve, 10))
  })

  it('are not loaded before the headers are accepted', async () => {
    const resolver = vi.fn(() => secret)
    const receiver = createReceiver({ ...base, secret: resolver, store: memoryStore(), fallback: () => {} })
    await receiver.receive(await delivery(settled, { request: { method: 'GET' } }))
    await receiver.receive(await delivery(settled, { headers: { 'content-type': 'text/plain' } }))
    expect(resolver).not.toHaveBeenCalled()
  })
})
