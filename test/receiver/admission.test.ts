import { describe, expect, it, vi } from 'vitest'
import type { ReceiveRequest } from '../../src/request.js'
import { delivery, settled } from './deliver.js'
import { receive, receiver } from './receive.js'

describe('what is admitted', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8',
    'application/json; charset=utf-8; v=1; charset="UTF-8"',
    ' application/json ',
    'application/cloudevents+json',
    'application/vnd.api+json; v=1',
  ])('the content type %j', async (type) => {
    expect(await receive({ headers: { 'content-type': type } })).toMatchObject({ outcome: 'processed' })
  })

  it.each([
    'text/json',
    'application/jsonp',
    'application/json5',
    'application/x-json',
    'json',
    'text/plain; application/json',
    'application/json, text/plain',
    '+json',
    'application/+json',
    'application/json; charset=utf-8; charset=iso-8859-1',
    'application/json; charset=iso-8859-1; charset=utf-8',
    'application/json; charset="utf-8"; v=1; charset=utf-16',
    'application/json; charset=utf-8; charset=',
    '',
  ])('not the content type %j', async (type) => {
    expect(await receive({ headers: { 'content-type': type } })).toMatchObject({
      code: 'unsupported_media_type',
    })
  })

  it.each(['identity', 'IDENTITY', '', ' '])('the content encoding %j', async (encoding) => {
    expect(await receive({ headers: { 'content-encoding': encoding } })).toMatchObject({
      outcome: 'processed',
    })
  })

  it.each(['gzip', 'br', 'gzip, identity', 'identity, gzip', 'x'])(
    'not the content encoding %j',
    async (encoding) => {
      expect(await receive({ headers: { 'content-encoding': encoding } })).toMatchObject({
        code: 'unsupported_content_encoding',
      })
    },
  )

  it('a body of exactly the largest size, but not one byte more', async () => {
    const size = JSON.stringify(settled).length
    expect(await receive({}, { maxBodyBytes: size })).toMatchObject({ outcome: 'processed' })
    expect(await receive({ headers: { 'content-length': `${size}` } }, { maxBodyBytes: size })).toMatchObject(
      { outcome: 'processed' },
    )
    expect(await receive({}, { maxBodyBytes: size - 1 })).toMatchObject({ code: 'body_too_large' })
    expect(
      await receive({ headers: { 'content-length': `${size}` } }, { maxBodyBytes: size - 1 }),
    ).toMatchObject({ code: 'body_too_large' })
  })

  it('a request without a method, which means POST', async () => {
    const { method: _, ...request } = await delivery()
    expect(await receiver().receive(request)).toMatchObject({ outcome: 'processed' })
  })

  it('headers in every supported form', async () => {
    const { headers } = await delivery()
    const forms: ReceiveRequest['headers'][] = [
      headers,
      new Headers(headers as Record<string, string>),
      (name: string) => (headers as Record<string, string>)[name],
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value as string]])),
    ]
    for (const form of forms) {
      const request = { ...(await delivery()), headers: form }
      expect(await receiver().receive(request)).toMatchObject({ outcome: 'processed' })
    }
  })

  it('a header in lower case, whatever the same name holds in another case', async () => {
    const { headers } = await delivery()
    const first = { 'Service-Signature': 'of another request', ...headers }
    expect(await receiver().receive({ ...(await delivery()), headers: first })).toMatchObject({
      outcome: 'processed',
    })
  })

  it('a body from a reader, which is called once, after the headers, with the size limit', async () => {
    const { body, ...request } = await delivery()
    const read = vi.fn(async () => body as Uint8Array)
    expect(await receiver().receive({ ...request, body: read })).toMatchObject({ outcome: 'processed' })
    expect(read).toHaveBeenCalledTimes(1)
    expect(read).toHaveBeenCalledWith(1_048_576, expect.objectContaining({ aborted: false }))
    await receiver().receive({ ...request, method: 'GET', body: read })
    await receiver().receive({ ...request, headers: {}, body: read })
    expect(read).toHaveBeenCalledTimes(1)
  })

  it.each<[string, unknown]>([
    ['parsed', settled],
    ['a string', JSON.stringify(settled)],
    ['null', null],
    ['nothing', undefined],
    ['a reader of a parsed body', async () => settled],
    ['a reader of a string', async () => JSON.stringify(settled)],
    ['a reader of nothing', async () => undefined],
  ])('no body that is %s: the program is wrong, and receive rejects', async (_, body) => {
    const request = { ...(await delivery()), body } as ReceiveRequest
    await expect(receiver().receive(request)).rejects.toMatchObject({
      name: 'ConfigurationError',
      code: 'body_not_bytes',
    })
  })
})

describe('environments', () => {
  const { environment: _, ...without } = settled
  it.each([
    ['one of them', settled, ['production', 'sandbox'], 'processed'],
    ['none of them', settled, ['production'], 'rejected'],
    ['in another case', settled, ['Sandbox'], 'rejected'],
    ['none named', without, ['production'], 'processed'],
    ['no list', settled, undefined, 'processed'],
  ])('%s', async (_, event, environments, outcome) => {
    const same = receiver(environments ? { environments } : {})
    expect(await same.receive(await delivery(event))).toMatchObject({ outcome })
  })
})
