import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { Snippet } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openFilledInbox, openInbox } from './rig.js'

const path = 'events/evt_dead/replay'

describe('the body of a change', () => {
  const said = async (init: RequestInit) => {
    const { receiver } = await openFilledInbox()
    const response = await fetch(`${await listen(consoleHandler(receiver, all))}/api/${path}`, init)
    return [response.status, ((await response.json()) as { detail?: string }).detail] as const
  }

  it.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['application/json ;charset=utf-8', 200],
    ['APPLICATION/JSON', 200],
    ['application/jsonx', 415],
    ['xapplication/json', 415],
    ['text/json', 415],
  ])('with the type %j is answered with %i', async (type, status) => {
    expect((await said(act('a test', { 'Content-Type': type })))[0]).toBe(status)
  })

  it.each<[what: string, reason: unknown, status: number, detail?: string]>([
    ['a reason of 1,000 characters', 'x'.repeat(1000), 200],
    ['a longer reason', 'x'.repeat(1001), 422, 'A reason may have 1,000 characters. Nothing was changed.'],
    ['no reason', undefined, 422, 'Give a reason. It is kept for auditors. Nothing was changed.'],
    ['a reason that is no text', 7, 422, 'Give a reason. It is kept for auditors. Nothing was changed.'],
    ['a reason of null', null, 422, 'Give a reason. It is kept for auditors. Nothing was changed.'],
    [
      'an invisible reason',
      '\u200b \u2800',
      422,
      'Give a reason. It is kept for auditors. Nothing was changed.',
    ],
  ])('with %s', async (_, reason, status, detail) => {
    const answer = await said(act('', {}, { reason }))
    expect(answer).toEqual([status, detail])
  })

  it.each([
    ['null', 'The body must be an object. Nothing was changed.'],
    ['7', 'The body must be an object. Nothing was changed.'],
    ['', 'The body is not JSON. Nothing was changed.'],
  ])('that is %j is rejected', async (body, detail) => {
    expect(await said({ ...act(''), body })).toEqual([422, detail])
  })

  it('may have 4 MiB, and not one byte more', async () => {
    const { body } = act('a test')
    const sized = (bytes: number) => said({ ...act(''), body: body.padEnd(bytes) })
    expect((await sized(4 * 1024 * 1024))[0]).toBe(200)
    expect(await sized(4 * 1024 * 1024 + 1)).toEqual([
      413,
      'A body may have 4194304 bytes. Nothing was changed.',
    ])
  })

  it('of a preview needs no reason, and takes one', async () => {
    const { receiver } = await openFilledInbox()
    const api = `${await listen(consoleHandler(receiver, all))}/api`
    const plan = (body: object) =>
      fetch(`${api}/plans`, { ...act(''), body: JSON.stringify({ action: 'replay', ...body }) })
    expect((await plan({})).status).toBe(200)
    expect((await plan({ reason: 'why not' })).status).toBe(200)
    for (const reason of [7, null, 'x'.repeat(1001)]) {
      expect([reason, (await plan({ reason })).status]).toEqual([reason, 422])
    }
  })
})

it.each<[body: object, status: number]>([
  [{ seen: { state: 'dead', generation: 0 } }, 200],
  [{ seen: { state: 'dead', generation: 0.5 } }, 422],
  [{ seen: { state: 'dead', generation: '0' } }, 422],
  [{ seen: { state: 7, generation: 0 } }, 422],
  [{ seen: null }, 422],
  [{ seen: 'dead' }, 422],
  [{ copies: [] }, 200],
  [{ copies: null }, 422],
  [{ copies: {} }, 422],
])('a replay with %j is answered with %i', async (body, status) => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  expect((await fetch(`${url}/api/${path}`, act('a test', {}, body))).status).toBe(status)
})

it.each<[seen: unknown, status: number]>([
  [{ state: 'open', changes: 0 }, 200],
  [{ state: 'open', changes: -1 }, 422],
  [{ state: 'open', changes: 0.5 }, 422],
  [{ state: 'open' }, 422],
  [{ changes: 0 }, 422],
  [null, 422],
])('a change of a cause that was seen as %j is answered with %i', async (seen, status) => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const response = await fetch(`${url}/api/groups/payments:invalid_json/resolve`, act('a test', {}, { seen }))
  expect(response.status).toBe(status)
  if (status === 422) {
    expect(await response.json()).toMatchObject({
      detail: 'Send the state and the number of changes that were shown, as seen. Nothing was changed.',
    })
  } else {
    expect(await response.json()).toEqual({})
  }
})

it('a request that cannot be read is answered with a problem, and with every header', async () => {
  const { receiver } = await openInbox()
  const { hostname, port } = new URL(await listen(consoleHandler(receiver, all)))
  const socket = connect(Number(port), hostname)
  socket.write('GET /api/me HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n')
  let text = ''
  for await (const chunk of socket) {
    text += chunk
  }
  const [head = '', body = ''] = text.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 422 /)
  expect(head).toMatch(/^x-frame-options: DENY$/im)
  expect(body).toContain('"detail":"This request cannot be read."')
})

it('a path that is not there, and a method that is not, are 404', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const missing = { status: 404, code: 'not_found', detail: 'The console has no such path.' }
  for (const [where, init] of [
    ['/nowhere', {}],
    ['/api', {}],
    ['/api/events/evt_dead/replay', {}],
    ['/api/events', act('a test')],
    ['/api/events/a/b/c', {}],
  ] as const) {
    expect([where, await json(url + where, init)]).toEqual([where, expect.objectContaining(missing)])
  }
})

it('a snippet takes 20 paths, without blanks, and hides each', async () => {
  const { receiver } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api/events/evt_dead/snippet?as=fixture&redact=`
  const twenty = Array.from({ length: 20 }, (_, at) => `data.x${at}`)
  expect((await fetch(api + twenty)).status).toBe(200)
  expect((await fetch(`${api}${twenty},data.y`)).status).toBe(422)
  const { text, unmatched, fileName } = await json<Snippet>(`${api}data.transferId,%20,,data.none`)
  expect(fileName).toBe('transfer-failed.json')
  expect(JSON.parse(JSON.parse(text).body).data).toMatchObject({ transferId: '•••', status: 'failed' })
  expect(unmatched).toEqual(['data.none'])
  const plain = await json<Snippet>(api)
  expect(plain).not.toHaveProperty('unmatched')
  expect(JSON.parse(JSON.parse(plain.text).body).data).toMatchObject({ transferId: 'tr_1' })
})

it('a body that a mask withholds gives no snippet', async () => {
  const { receiver } = await openFilledInbox()
  const bodies = async (body: string, over: object) => {
    const changed = {
      ...receiver,
      inspect: async (id: string) => {
        const event = await receiver.inspect(id)
        return event && { ...event, body: Buffer.from(body, 'latin1') }
      },
    }
    const url = await listen(consoleHandler(changed, { ...all, ...over }))
    const shown = await json<object>(`${url}/api/events/evt_dead/body`)
    const snippet = await json<object>(`${url}/api/events/evt_dead/snippet?as=curl`)
    return [shown, snippet]
  }
  const refused = {
    status: 409,
    code: 'masked_body',
    detail: 'This body cannot be shown, so it cannot be copied either.',
  }
  const mask = ['data.a']
  expect(await bodies('no JSON', { mask })).toEqual([
    { text: null, isMasked: true, bytes: 7, withheld: 'not_json' },
    expect.objectContaining(refused),
  ])
  expect(await bodies('\xff', { mask })).toEqual([
    { text: null, isMasked: true, bytes: 1, withheld: 'not_text' },
    expect.objectContaining(refused),
  ])
  expect(await bodies('\xff', {})).toEqual([
    { text: null, base64: '/w==', isMasked: false, bytes: 1, withheld: 'not_text' },
    expect.objectContaining(refused),
  ])
})
