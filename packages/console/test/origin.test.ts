import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { listen, openFilledInbox } from './rig.js'

const all = { authorize: () => true, actor: () => 'operator' }

/** fetch would not send these headers as given. */
function ask(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<{ status: number; json: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function replay(headers: Readonly<Record<string, string>>) {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const answer = await ask(
    `${url}/api/events/evt_dead/replay`,
    'POST',
    { 'Content-Type': 'application/json', ...headers },
    '{"reason":"a test","seen":{"state":"dead","generation":0}}',
  )
  return { ...answer, audits: (await receiver.audits()).length }
}

describe('an act', () => {
  it.each([
    ['from a page of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['from another subdomain', { 'Sec-Fetch-Site': 'same-site' }],
    ['from an address that a person typed', { 'Sec-Fetch-Site': 'none' }],
    [
      'from another site, with the Origin of this one',
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://bank', Host: 'bank' },
    ],
    ['from another origin', { Origin: 'http://elsewhere', Host: 'bank' }],
    ['from another port', { Origin: 'http://bank:81', Host: 'bank' }],
    ['from a sandboxed frame', { Origin: 'null', Host: 'bank' }],
    ['from an origin that is no address', { Origin: 'bank', Host: 'bank' }],
    ['without any of the headers', {}],
  ])('%s is rejected', async (_, headers) => {
    expect(await replay(headers)).toMatchObject({ status: 403, json: { code: 'foreign_origin' }, audits: 0 })
  })

  it.each([
    ['from its own page', { 'Sec-Fetch-Site': 'same-origin' }],
    ['from its own page over plain HTTP', { Origin: 'http://bank.internal', Host: 'bank.internal' }],
    ['over plain HTTP on a port', { Origin: 'http://10.0.0.7:8080', Host: '10.0.0.7:8080' }],
    [
      'behind a proxy that changes the host',
      { Origin: 'https://bank', Host: 'app:3000', 'X-Forwarded-Host': 'bank' },
    ],
  ])('%s is done', async (_, headers) => {
    expect(await replay(headers)).toMatchObject({ status: 200, json: { generation: 1 }, audits: 1 })
  })
})

it('a view is denied to a page of another site, and given to a person who types the address', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  for (const path of ['/api/events', '/api/me', '/api/overview']) {
    expect((await ask(url + path, 'GET', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect((await ask(url + path, 'GET', { Origin: 'http://elsewhere' })).status).toBe(403)
    expect((await ask(url + path, 'GET', { 'Sec-Fetch-Site': 'none' })).status).toBe(200)
    expect((await ask(url + path, 'GET', {})).status).toBe(200)
  }
})

it('the stream is denied to a page of another site', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'http://elsewhere' }]) {
    expect((await ask(`${url}/api/stream`, 'GET', headers)).json).toMatchObject({ code: 'foreign_origin' })
  }
})

describe('the body of an act', () => {
  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'reason=x', 415],
    ['text', 'text/plain', '{"reason":"x"}', 415],
    ['no media type', '', '{"reason":"x"}', 415],
    ['a type that only begins like JSON', 'application/jsonp', '{"reason":"x"}', 415],
    ['no JSON', 'application/json', 'reason', 422],
    ['a list', 'application/json', '[]', 422],
    ['nothing', 'application/json', '', 422],
    ['no reason', 'application/json', '{}', 422],
    ['a blank reason', 'application/json', '{"reason":" "}', 422],
    ['a reason that is no text', 'application/json', '{"reason":1}', 422],
    ['more than it may have', 'application/json', `{"reason":"${'x'.repeat(5_000_000)}"}`, 413],
  ])('that has %s is rejected', async (_, type, body, status) => {
    const { receiver } = await openFilledInbox()
    const url = await listen(consoleHandler(receiver, all))
    const headers = { 'Sec-Fetch-Site': 'same-origin', ...(type && { 'Content-Type': type }) }
    const answer = await ask(`${url}/api/events/evt_dead/replay`, 'POST', headers, body)
    expect(answer.status).toBe(status)
    expect(await receiver.audits()).toEqual([])
  })

  it.each(['', ' ', ' \u200b\u00ad\u2060'])('needs a reason that can be read, unlike %j', async (reason) => {
    const { receiver } = await openFilledInbox()
    const url = await listen(consoleHandler(receiver, all))
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }
    const answer = await ask(
      `${url}/api/events/evt_dead/replay`,
      'POST',
      headers,
      JSON.stringify({ reason, seen: { state: 'dead', generation: 0 } }),
    )
    expect(answer.json).toMatchObject({
      status: 422,
      detail: expect.stringContaining('Give a reason.'),
    })
    expect(await receiver.audits()).toEqual([])
  })
})
