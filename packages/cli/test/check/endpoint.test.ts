import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { Endpoint, type EndpointOptions, otherSecret } from '../../src/check/endpoint.js'
import { effectsOf, settledEffects } from '../../src/check/probe.js'
import { http } from '../servers.js'
import { secret } from './receiver-by-hand.js'

interface Seen {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** An endpoint that answers with what it is told, and what it has seen. */
async function open(
  options: Partial<EndpointOptions> = {},
  answer: (seen: Seen) => { readonly body?: string; readonly headers?: Record<string, string> } = () => ({}),
) {
  const seen: Seen[] = []
  const url = await http(async (request, response) => {
    const one = { headers: request.headers, body: Buffer.concat(await request.toArray()) }
    seen.push(one)
    const { body = 'ok', headers = {} } = answer(one)
    response.writeHead(200, headers).end(body)
  })
  const endpoint = new Endpoint({ url: new URL(url), secret, ...options })
  return {
    endpoint,
    seen,
    last: () => seen.at(-1) as Seen,
    event: () => JSON.parse(String(seen.at(-1)?.body)),
  }
}

const signature = ({ headers, body }: Seen, key = secret) => {
  const [, t] = /^t=(\d+),/.exec(String(headers['service-signature'])) ?? []
  return createHmac('sha256', key).update(`${t}.`).update(body).digest('hex')
}

describe('a delivery to an endpoint', () => {
  it('is a signed transfer.settled in camelCase, from the check', async () => {
    const { endpoint, last, event } = await open()
    const delivery = await endpoint.event()
    expect(await endpoint.deliver(delivery)).toMatchObject({ status: 200, body: 'ok' })
    expect(event()).toMatchObject({
      id: delivery.event.id,
      type: 'transfer.settled',
      createdAt: expect.any(String),
    })
    expect(event().environment).toBe('sandbox')
    expect(last().headers).toMatchObject({
      'user-agent': 'webhook-inbox-check',
      'content-type': 'application/json',
      'service-event-id': delivery.event.id,
    })
    expect(last().headers['service-signature']).toMatch(new RegExp(`^t=\\d+,v1=${signature(last())}$`))
    expect(endpoint).toMatchObject({ toleranceSeconds: 300, timeoutSeconds: 15 })
  })

  it('has the sample, the envelope, the environment and the headers that are given', async () => {
    const sample = { type: 'account.opened', data: { account: 'acc_1', n: 1 } }
    const { endpoint, event, last } = await open({
      sample,
      envelope: 'snake_case',
      isProduction: true,
      headers: { 'x-key': 'k', 'user-agent': 'mine' },
      toleranceSeconds: 7,
      timeoutSeconds: 8,
    })
    await endpoint.deliver(await endpoint.event({ data: { n: 2 } }))
    expect(event()).toMatchObject({
      type: 'account.opened',
      environment: 'production',
      created_at: expect.any(String),
      data: { account: 'acc_1', n: 2 },
    })
    expect(last().headers).toMatchObject({ 'x-key': 'k', 'user-agent': 'mine' })
    expect(endpoint).toMatchObject({ toleranceSeconds: 7, timeoutSeconds: 8 })
    await endpoint.deliver(await endpoint.event({ type: 'transfer.failed' }))
    expect(event().data).not.toHaveProperty('account')
    await endpoint.deliver(await endpoint.event({ representation: 'camelCase' }))
    expect(event()).toHaveProperty('createdAt')
  })

  it('may be signed with another secret or time', async () => {
    const { endpoint, last } = await open()
    const { body, event } = await endpoint.event()
    await endpoint.deliver(
      await endpoint.sign(body, event.id, { secret: 'whsec_another_secret', ageSeconds: 100 }),
    )
    expect(last().headers['service-signature']).toContain(signature(last(), 'whsec_another_secret'))
    const t = Number(/t=(\d+)/.exec(String(last().headers['service-signature']))?.[1])
    expect(Date.now() / 1000 - t).toBeGreaterThan(98)
  })
})

describe('what an endpoint answers', () => {
  const hidden = '[hidden]'

  it('is kept in the log as it was, with the right signature that was not sent', async () => {
    const { endpoint, last } = await open({}, (seen) => ({ body: `${secret} ${signature(seen)}` }))
    const { headers, body } = await endpoint.event()
    const wrong = {
      ...headers,
      'service-signature': `${headers['service-signature']?.split(',')[0]},v1=${'a'.repeat(64)}`,
    }
    const shown = await endpoint.request({ headers: wrong, body }, body)
    expect(shown).toMatchObject({ body: `${hidden} ${hidden}` })
    expect(endpoint.log).toMatchObject([
      { exchange: { body: `${secret} ${signature(last())}` }, untold: [signature(last())] },
    ])
    await endpoint.deliver({ headers: headers as never, body })
    expect(endpoint.log[1]?.untold).toEqual([])
    await endpoint.request({ headers: wrong, body })
    expect(endpoint.log[2]?.untold).toEqual([])
  })

  it('is shown without the secrets and signatures, in its headers too', async () => {
    const old = 'whsec_old_secret'
    const { endpoint } = await open({ oldSecret: old }, (seen) => ({
      body: `${old} ${signature(seen)} ${signature(seen)}`,
      headers: { 'x-secret': `a ${secret} b` },
    }))
    const shown = await endpoint.deliver(await endpoint.event())
    expect(shown).toMatchObject({
      body: `${hidden} ${hidden} ${hidden}`,
      headers: { 'x-secret': `a ${hidden} b` },
    })
  })

  it('is shown with short parts of a signature, which are parts of words', async () => {
    const texts = ['a'.repeat(31), 'b'.repeat(32)]
    const { endpoint } = await open({}, () => ({ body: texts.join(' ') }))
    const { body } = await endpoint.event()
    const headers = { 'service-signature': `t=1,v1=${texts[0]},v1=${texts[1]},v0=${'c'.repeat(40)}` }
    expect(await endpoint.request({ headers, body }, body)).toMatchObject({ body: `${texts[0]} ${hidden}` })
  })

  it.each([
    ['no t', 'v1=00', undefined],
    ['a t that is no number', 't=now,v1=00', undefined],
    ['a t of 13 digits', `t=${'1'.repeat(13)},v1=00`, undefined],
    ['a t at its end', 'v1=00,t=12', '12'],
    ['a t of 12 digits', `t=${'1'.repeat(12)},v1=00`, '1'.repeat(12)],
  ])('has an expected signature or none for a header with %s', async (_, header, t) => {
    const { endpoint } = await open()
    const body = Buffer.from('x')
    await endpoint.request({ headers: { 'service-signature': header }, body }, body)
    const expected = createHmac('sha256', secret).update(`${t}.x`).digest('hex')
    expect(endpoint.log[0]?.untold).toEqual(t === undefined ? [] : [expected])
  })

  it('has an expected signature of its scheme, for which it needs an id', async () => {
    const scheme = { content: 'id.timestamp.body', encoding: 'base64' } as const
    const { endpoint } = await open({ scheme })
    const body = Buffer.from('x')
    const headers = { 'service-signature': 't=1,v1=00' }
    await endpoint.request({ headers, body }, body)
    expect(endpoint.log[0]?.untold).toEqual([])
    await endpoint.request({ headers: { ...headers, 'service-event-id': 'evt_1' }, body }, body)
    expect(endpoint.log[1]?.untold).toEqual([
      createHmac('sha256', secret).update('evt_1.1.x').digest('base64'),
    ])
    expect((await endpoint.event()).headers['service-signature']).toMatch(/^t=\d+,v1=[\w+/]{43}=$/)
  })
})

describe('another secret', () => {
  it.each([
    ['whsec_12345', 'whsec_a2345'],
    ['whsec_a2345', 'whsec_b2345'],
    ['12345', 'a2345'],
    ['1234', 'a234'],
    ['a', 'b'],
  ])('than %s is %s, of the same form', (given, other) => {
    expect(otherSecret(given)).toBe(other)
  })
})

describe('the probe', () => {
  const probed = async (body: string, status = 200, settleSeconds = 0) => {
    const paths: string[] = []
    const url = await http((request, response) => {
      paths.push(`${request.method} ${request.url}`)
      response.writeHead(status).end(body)
    })
    const endpoint = new Endpoint({ url: new URL(url), secret, probe: `${url}?id={id}`, settleSeconds })
    return { endpoint, paths }
  }

  it.each<[string, number, number | string | RegExp]>([
    ['3', 200, 3],
    ['{"count":2}', 200, 2],
    ['0', 200, 0],
    ['"3"', 200, /^the probe answered no number: 200 in \d+ ms: "3"$/],
    ['{"count":"2"}', 200, /^the probe answered no number: 200 in \d+ ms: \{"count":"2"\}$/],
    ['null', 200, /^the probe answered no number: 200 in \d+ ms: null$/],
    ['three', 200, /^the probe answered no number: 200 in \d+ ms: three$/],
    ['3', 201, /^the probe answered 201 in \d+ ms: 3$/],
    ['3', 404, /^the probe answered 404 in \d+ ms: 3$/],
  ])('that answers %s with %i', async (body, status, expected) => {
    const { endpoint, paths } = await probed(body, status)
    const found = await effectsOf(endpoint, 'evt 1')
    expect(paths).toEqual(['GET /webhooks?id=evt%201'])
    if (expected instanceof RegExp) {
      expect(found).toMatch(expected)
    } else {
      expect(found).toBe(expected)
    }
  })

  it('that does not answer says why', async () => {
    const endpoint = new Endpoint({
      url: new URL('http://127.0.0.1:9/'),
      secret,
      probe: 'http://127.0.0.1:9/{id}',
    })
    expect(await effectsOf(endpoint, 'evt_1')).toMatch(/^nothing listens at 127\.0\.0\.1:9;/)
  })

  it('is asked until the count is reached, and once more', async () => {
    let asked = 0
    const url = await http((_, response) => response.end(String(Math.min(2, asked++))))
    const endpoint = new Endpoint({ url: new URL(url), secret, probe: `${url}/{id}`, settleSeconds: 5 })
    expect(await settledEffects(endpoint, 'evt_1', 2)).toBe(2)
    expect(asked).toBe(4)
  })

  it('is asked no longer than the effects may take to settle', async () => {
    const { endpoint, paths } = await probed('0', 200, 0.35)
    expect(await settledEffects(endpoint, 'evt_1', 1)).toBe(0)
    expect(paths.length).toBeGreaterThan(2)
    expect(paths.length).toBeLessThan(7)
  })
})
