import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { AuditRow, Overview, Statistics } from '../src/wire.js'
import { act, listen, openFilledInbox, openInbox, secret, sharedStore } from './rig.js'

const all = { authorize: () => true, actor: () => 'operator', logger: { info() {}, warn() {}, error() {} } }

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
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
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

const done = { seen: { state: 'done', generation: 0 } }

it('errors are problem documents with a code', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  for (const [path, init, status, code] of [
    ['/api/events/evt_none', {}, 404, 'not_found'],
    ['/api/events/evt_none/replay', act('x'), 404, 'not_found'],
    ['/api/events/evt_done/discard', act('x'), 409, 'event_changed'],
    ['/api/events/evt_done/discard', act('x', {}, done), 422, 'invalid_request'],
    ['/api/events/evt_done/replay', act('x', {}, { seen: undefined }), 422, 'invalid_request'],
    ['/api/events/evt_done/replay', act('x', {}, { seen: { state: 'done' } }), 422, 'invalid_request'],
    ['/api/events/evt_dead/replay', act('x'.repeat(1001)), 422, 'invalid_request'],
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

it('pages of the quarantine go on behind a delivery that was discarded meanwhile', async () => {
  const { receiver, sendRaw, until } = await openInbox()
  for (const body of ['a', 'b', 'c', 'd', 'e']) {
    await sendRaw(body)
  }
  await until(({ quarantined }) => quarantined === 5)
  const url = await listen(consoleHandler(receiver, all))
  const page = async (cursor = '') =>
    (await (await fetch(`${url}/api/quarantine?limit=2&cursor=${cursor}`)).json()) as {
      rows: { key: string }[]
      next?: string
    }
  const first = await page()
  await receiver.discard(first.rows[1]?.key ?? '', { reason: 'a test', actor: 'operator 2' })
  const second = await page(first.next)
  const third = await page(second.next)
  expect([first, second, third].map(({ rows }) => rows.length)).toEqual([2, 2, 1])
  expect(third.next).toBeUndefined()
  const keys = [first, second, third].flatMap(({ rows }) => rows.map(({ key }) => key))
  expect(new Set(keys).size).toBe(5)
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

it('shows events page by page, and each as it is', async () => {
  const inbox = await openInbox()
  for (let i = 0; i < 5; i++) {
    await inbox.send('transfer.settled', {}, `evt_${i}`)
  }
  await inbox.until(({ done }) => done === 5)
  const url = await listen(consoleHandler(inbox.receiver, all))
  const ids: string[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page = (await (await fetch(`${url}/api/events?limit=2&cursor=${next}`)).json()) as {
      rows: { id: string; state: string }[]
      next?: string
    }
    expect(page.rows.length).toBeLessThanOrEqual(2)
    ids.push(...page.rows.map(({ id }) => id))
    next = page.next
  }
  expect(ids.sort()).toEqual(['evt_0', 'evt_1', 'evt_2', 'evt_3', 'evt_4'])
  const dead = (await (await fetch(`${url}/api/events?state=dead`)).json()) as { rows: unknown[] }
  expect(dead.rows).toEqual([])
})

it('replays and discards with the reason and the actor, and shows both', async () => {
  const { receiver, until } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, { ...all, actor: async () => 'operator' }))
  const replayed = await fetch(`${url}/api/events/evt_dead/replay`, act('the rail is back'))
  expect(await replayed.json()).toEqual({ generation: 1 })
  await until(({ dead }) => dead === 1)
  const event = await (await fetch(`${url}/api/events/evt_dead`)).json()
  expect(event).toMatchObject({
    state: 'dead',
    generation: 1,
    lastError: expect.stringContaining('evt_dead failed'),
    audits: [{ action: 'replay', actor: 'operator', reason: 'the rail is back', eventId: 'evt_dead' }],
  })
  expect(
    (
      await fetch(
        `${url}/api/events/evt_dead/discard`,
        act('a test event', {}, { seen: { state: 'dead', generation: 1 } }),
      )
    ).status,
  ).toBe(200)
  const undoUntil = expect.any(String)
  const [audit, earlier] = [{ action: 'discard' }, { action: 'replay' }]
  expect(await (await fetch(`${url}/api/events/evt_dead`)).json()).toMatchObject({
    discard: { actor: 'operator', at: expect.any(String), undoUntil },
    audits: [audit, earlier],
  })
  const [delivery] = await receiver.quarantined()
  const key = encodeURIComponent(delivery?.key ?? '')
  const done = await fetch(`${url}/api/quarantine/${key}/discard`, act('no event'))
  expect([done.status, await done.json()]).toEqual([200, { undoUntil }])
  expect(await (await fetch(`${url}/api/quarantine/${key}`)).json()).toMatchObject({
    discard: { actor: 'operator', undoUntil },
  })
  const { rows } = (await (await fetch(`${url}/api/audits`)).json()) as { rows: AuditRow[] }
  expect(rows.map(({ action, isOfDelivery }) => [action, isOfDelivery])).toEqual([
    ['discard', true],
    ['discard', undefined],
    ['replay', undefined],
  ])
})

it('does not run an event again for a second operator, nor for a second click', async () => {
  let isDown = true
  let credits = 0
  const inbox = await openInbox(undefined, {
    async 'account.credited'() {
      if (isDown) {
        throw new Error('the bank is down')
      }
      credits++
    },
  })
  await inbox.send('account.credited', {}, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  isDown = false
  const url = await listen(consoleHandler(inbox.receiver, all))
  const click = () => fetch(`${url}/api/events/evt_1/replay`, act('the bank is back'))
  const first = await Promise.all([click(), click()])
  expect(first.map(({ status }) => status).sort()).toEqual([200, 409])
  await inbox.until(({ done }) => done === 1)
  const late = await click()
  expect([late.status, await late.json()]).toMatchObject([409, { code: 'event_changed' }])
  await inbox.until(({ done }) => done === 1)
  expect(credits).toBe(1)
  expect(await inbox.receiver.audits()).toHaveLength(1)
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

it('the overview has the guarantee, the counts and what arrived', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const overview = (await (await fetch(`${url}/api/overview?hours=24`)).json()) as Overview
  expect(overview).toMatchObject({
    guarantee: receiver.describe(),
    hours: 24,
    statistics: { value: { dead: { count: 1, isCapped: false }, quarantined: { count: 1 } } },
  })
  const { buckets } = (overview.statistics as { value: Statistics }).value
  expect(buckets).toHaveLength(60)
  expect(buckets.reduce((sum, { received }) => sum + received, 0)).toBe(2)
  for (const hours of ['0', '-1', 'x', '1e9']) {
    expect((await fetch(`${url}/api/overview?hours=${hours}`)).status).toBe(422)
  }
})

it('a part of the overview that fails leaves the others', async () => {
  const { receiver } = await openFilledInbox()
  const broken = { ...receiver, statistics: () => Promise.reject(new Error('no such table')) }
  const url = await listen(consoleHandler(broken, all))
  const overview = await (await fetch(`${url}/api/overview`)).json()
  expect(overview).toMatchObject({
    guarantee: receiver.describe(),
    statistics: { problem: 'The log of the program says why.', code: 'internal_error' },
  })
})

it('finds events by every condition of the address', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  for (const [query, ids] of [
    ['', ['evt_dead', 'evt_done']],
    ['state=done', ['evt_done']],
    ['type=transfer.*&state=dead', ['evt_dead']],
    ['type=transfer.settled', ['evt_done']],
    ['id=evt_done', ['evt_done']],
    ['id=evt_none', []],
    ['text=EVT_DEAD', ['evt_dead']],
    ['text=nothing', []],
    ['since=2020-01-01T00:00:00Z&state=&type=', ['evt_dead', 'evt_done']],
    ['until=2020-01-01T00:00:00Z', []],
  ] as const) {
    const { rows } = (await (await fetch(`${url}/api/events?${query}`)).json()) as { rows: { id: string }[] }
    expect([query, rows.map(({ id }) => id).sort()]).toEqual([query, ids])
  }
  expect((await fetch(`${url}/api/events?since=yesterday`)).status).toBe(422)
})

it('a part of an event or of a group that fails leaves the others', async () => {
  const { receiver } = await openFilledInbox()
  const [group] = await receiver.failures()
  const fail = () => Promise.reject(new Error('no such table'))
  const broken = { ...receiver, explain: fail, list: fail, audits: fail }
  const url = await listen(consoleHandler(broken, all))
  const event = await (await fetch(`${url}/api/events/evt_dead`)).json()
  expect(event).toMatchObject({ id: 'evt_dead', problems: Array(4).fill('internal_error') })
  const path = `groups/${encodeURIComponent(group?.group ?? '')}`
  expect(await (await fetch(`${url}/api/${path}`)).json()).toMatchObject({
    group: group?.group,
    problems: ['internal_error', 'internal_error'],
  })
})

it('a console shows nothing of another endpoint of the store', async () => {
  const makeStore = await sharedStore()
  const other = await openInbox(makeStore, {}, { attempts: 1 }, { endpoint: 'salaries' })
  await other.send('transfer.failed', { transferId: 'tr_1' }, 'evt_salary')
  await other.sendRaw('no JSON')
  await other.until(({ dead, quarantined }) => dead === 1 && quarantined === 1)
  await other.receiver.replay('evt_salary', { reason: 'once more', actor: 'operator 2' })
  await other.until(({ dead }) => dead === 1)
  const { receiver } = await openInbox(makeStore)
  const url = await listen(consoleHandler(receiver, all))
  const none = { count: 0, isCapped: false }
  const overview = (await (await fetch(`${url}/api/overview`)).json()) as Overview
  expect(overview.statistics).toMatchObject({ value: { dead: none, quarantined: none } })
  expect(JSON.stringify(overview)).not.toContain('lastReceivedAt')
  for (const path of ['events', 'groups', 'quarantine', 'audits', 'runs']) {
    expect([path, await (await fetch(`${url}/api/${path}`)).json()]).toEqual([path, { rows: [] }])
  }
  const [delivery] = await other.receiver.quarantined()
  const [group] = await other.receiver.failures()
  for (const path of [
    'events/evt_salary',
    'events/evt_salary/body',
    `quarantine/${encodeURIComponent(delivery?.key ?? '')}`,
    `groups/${encodeURIComponent(group?.group ?? '')}`,
  ]) {
    expect([path, (await fetch(`${url}/api/${path}`)).status]).toEqual([path, 404])
  }
})
