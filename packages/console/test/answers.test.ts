import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { addSlash, reloadSoon } from '../src/guard/page-scripts.js'
import { consoleHandler } from '../src/index.js'
import { all } from './every-right.js'
import { act, listen, openFilledInbox, openInbox, secret } from './rig.js'

const [hashOfAddSlash, hashOfReload] = [addSlash, reloadSoon].map((script) =>
  createHash('sha256').update(script).digest('base64'),
)

it('every response has the headers that keep a browser in bounds, rejections included', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const denied = await listen(consoleHandler(receiver, { ...all, authorize: () => false }))
  const answers = [
    fetch(`${url}/api/me`),
    fetch(`${url}/api/events`),
    fetch(`${url}/api/events/evt_none`),
    fetch(`${url}/api/nowhere`),
    fetch(`${url}/api/events/evt_dead/replay`, { method: 'POST' }),
    fetch(`${denied}/api/events`),
    fetch(`${denied}/`),
  ]
  const expected = {
    'content-security-policy':
      `default-src 'none'; script-src 'self' 'sha256-${hashOfAddSlash}' 'sha256-${hashOfReload}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
  for (const { headers } of await Promise.all(answers)) {
    expect(Object.fromEntries(headers)).toMatchObject(expected)
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})

const edited = '{"id":"evt_done","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{}}'
const done = { seen: { state: 'done', generation: 0 } }

it('errors are problem documents with a code', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  for (const [path, init, status, code] of [
    ['/api/events/evt_none', {}, 404, 'not_found'],
    ['/api/events/evt_none/replay', act('x'), 404, 'not_found'],
    ['/api/events/evt_done/discard', act('x'), 409, 'event_changed'],
    ['/api/events/evt_done/discard', act('x', {}, done), 422, 'invalid_request'],
    ['/api/events/evt_done/replay-edited', act('x', {}, { body: edited }), 409, 'event_changed'],
    ['/api/events/evt_done/replay', act('x', {}, { seen: undefined }), 422, 'invalid_request'],
    ['/api/events/evt_done/replay', act('x', {}, { seen: { state: 'done' } }), 422, 'invalid_request'],
    ['/api/events/evt_dead/replay', act('x'.repeat(1001)), 422, 'invalid_request'],
    [`/api/events/evt_dead/snippet?as=curl&redact=${Array(21).fill('data.x')}`, {}, 422, 'invalid_request'],
    ['/api/quarantine/none', {}, 404, 'not_found'],
    ['/api/nowhere', {}, 404, 'not_found'],
    ['/api/events?limit=0', {}, 422, 'invalid_request'],
    ['/api/events?limit=1e9', {}, 422, 'invalid_request'],
    ['/api/events?state=lost', {}, 422, 'invalid_request'],
    ['/api/events?cursor=none', {}, undefined, undefined],
    ['/api/quarantine?cursor=x', {}, 422, 'invalid_request'],
    ['/api/audits?cursor=x', {}, 422, 'invalid_request'],
  ] as const) {
    const response = await fetch(url + path, init)
    if (status === undefined) {
      // The stores differ: one goes on from nowhere, the other rejects.
      expect(response.status).toBeLessThan(500)
      continue
    }
    expect([path, response.status]).toEqual([path, status])
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status, code, type: 'about:blank' })
  }
})

it.each([
  ['events/%00', 'id'],
  ['events/%1F/body', 'id'],
  ['quarantine/%00', 'key'],
  ['groups/%7F', 'group'],
  ['runs/%0A/applied', 'id'],
  ['groups?cursor=%00', 'cursor'],
  ['runs?cursor=%00', 'cursor'],
  ['audits?event=%00', 'event'],
  ['events?id=%00', 'id'],
])('a control character in %s is rejected by the name of the field', async (path, name) => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const response = await fetch(`${url}/api/${path}`)
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { detail: `${name} must not contain a control character` },
  ])
})

it('a store that fails is 503, and its message goes to the log alone', async () => {
  const { receiver } = await openFilledInbox()
  const lines: string[] = []
  const broken = {
    ...receiver,
    list: () => Promise.reject(new TypeError('password of the database: hunter2')),
  }
  const logger = { ...all.logger, error: (line: string) => lines.push(line) }
  const url = await listen(consoleHandler(broken, { ...all, logger }))
  const response = await fetch(`${url}/api/events`)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('hunter2')
  expect(lines.join()).toContain('hunter2')
})

it('no response holds the secret, a signature or a hash of the content', async () => {
  const { receiver } = await openFilledInbox()
  const [stored] = await receiver.list()
  const [delivery] = await receiver.quarantined()
  const url = await listen(consoleHandler(receiver, all))
  await fetch(`${url}/api/events/evt_dead/replay`, act('a test'))
  const key = encodeURIComponent(delivery?.key ?? '')
  const paths = [
    'me',
    'overview',
    'events',
    'events/evt_dead',
    'events/evt_dead/body',
    'quarantine',
    `quarantine/${key}`,
    'audits',
  ]
  for (const path of paths) {
    const text = await (await fetch(`${url}/api/${path}`)).text()
    expect(text).not.toContain(secret)
    expect(text).not.toMatch(/v1=|t=\d{10}/)
    expect(text).not.toContain(stored?.contentHash)
  }
})

it('says what the person may do, and as whom', async () => {
  const { receiver } = await openInbox()
  const url = await listen(
    consoleHandler(receiver, {
      ...all,
      authorize: (_, action) => action.endsWith(':read') || action === 'events:replay',
      environment: 'production',
    }),
  )
  expect(await (await fetch(`${url}/api/me`)).json()).toMatchObject({
    actions: ['overview:read', 'events:read', 'bodies:read', 'audits:read', 'events:replay'],
    actor: 'operator',
    environment: 'production',
    isReadOnly: false,
    isMasked: false,
  })
})
