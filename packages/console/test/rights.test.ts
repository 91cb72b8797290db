import { describe, expect, it } from 'vitest'
import { consoleFetch } from '../src/fetch.js'
import { consoleHandler } from '../src/index.js'
import { routes } from '../src/routes/routes.js'
import type { ConsoleAction, ProblemDocument } from '../src/wire.js'
import { callOf, calls } from './calls.js'
import { act, json, limitedConsole, listen, openFilledInbox } from './rig.js'

const actions: readonly ConsoleAction[] = [
  'overview:read',
  'events:read',
  'bodies:read',
  'audits:read',
  'events:replay',
  'events:retry',
  'events:give-up',
  'events:discard',
  'events:edit',
  'deliveries:verify',
  'groups:write',
  'consumption:pause',
]

const quiet = { info() {}, warn() {}, error() {} }

const withoutTime = (view: object) => ({ ...view, oldestUnprocessedSeconds: 0 })

describe('each route', () => {
  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s is open to its own right alone',
    async (name, { method }) => {
      const { receiver, action, path, body } = await callOf(name)
      const statuses: Record<string, number> = {}
      for (const right of ['none', ...actions.filter((each) => each !== action), action]) {
        const url = await listen(
          consoleHandler(receiver, { authorize: (_, asked) => asked === right, actor: () => 'operator' }),
        )
        const init = method === 'POST' ? act('a test', {}, body) : {}
        const response = await fetch(`${url}/api${path}`, init)
        statuses[right] = response.status
        if (right !== action) {
          expect(await response.json()).toMatchObject({ code: 'forbidden', status: 403 })
        }
      }
      const expected = Object.fromEntries(
        ['none', ...actions].map((right) => [right, right === action ? 200 : 403]),
      )
      expect(statuses).toEqual(expected)
    },
  )

  it.each(routes.filter(({ method }) => method === 'POST').map(({ path }) => `POST ${path}`))(
    '%s does nothing where the console is read-only',
    async (name) => {
      const { receiver, path, body } = await callOf(name)
      const before = [await receiver.health(), await receiver.audits(), await receiver.runs()]
      const url = await listen(consoleHandler(receiver, { authorize: () => true, readOnly: true }))
      const response = await fetch(`${url}/api${path}`, act('a test', {}, body))
      expect([response.status, await response.json()]).toMatchObject([403, { code: 'read_only' }])
      const after = [await receiver.health(), await receiver.audits(), await receiver.runs()]
      expect(after.map(withoutTime)).toEqual(before.map(withoutTime))
    },
  )

  it('stands in the table of this test', () => {
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    expect(names.filter((name) => !Object.hasOwn(calls, name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('authorize', () => {
  it.each([
    ['a truthy value that is not true', 403, () => 1 as unknown as boolean],
    ['nothing', 403, () => undefined as unknown as boolean],
    ['a promise of false', 403, () => Promise.resolve(false)],
    [
      'an error',
      503,
      () => {
        throw new Error('the rights cannot be read')
      },
    ],
    ['a rejection', 503, () => Promise.reject(new Error('the rights cannot be read'))],
  ])('that answers with %s permits nothing, not even the page: %i', async (_, status, authorize) => {
    const { receiver } = await openFilledInbox()
    const url = await listen(consoleHandler(receiver, { authorize, actor: () => 'operator', logger: quiet }))
    for (const path of ['/', '/assets/index.js', '/api/me', '/api/stream', '/api/overview', '/api/events']) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, status])
    }
  })

  it('gets the request, and its errors are logged', async () => {
    const { receiver } = await openFilledInbox()
    const lines: string[] = []
    const url = await listen(
      consoleHandler(receiver, {
        authorize(request) {
          if (request.headers['x-user'] === 'operator') {
            return true
          }
          throw new Error('no such user')
        },
        actor: () => 'operator',
        logger: { ...quiet, error: (line: string) => lines.push(line) },
      }),
    )
    expect((await fetch(`${url}/api/events`, { headers: { 'X-User': 'operator' } })).status).toBe(200)
    expect(lines).toEqual([])
    expect((await fetch(`${url}/api/events`)).status).toBe(503)
    expect(lines.join()).toContain('no such user')
    expect(lines.join()).not.toMatch(/[\n\r]/)
  })

  it.each([
    ['an object without a prototype', () => Object.create(null)],
    ['a symbol', () => Symbol('none')],
    ['an object whose properties throw', () => hostile],
  ])('may throw %s', async (_, thrown) => {
    const { receiver } = await openFilledInbox()
    const failing = {
      authorize() {
        throw thrown()
      },
      readOnly: true,
    }
    for (const logger of [
      quiet,
      false,
      { ...quiet, error: () => Promise.reject(new Error('disk full')) },
    ] as const) {
      const answer = consoleFetch(receiver, { ...failing, logger })
      expect((await answer(new Request('http://console/api/events'))).status).toBe(503)
    }
  })
})

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('none')
    },
    getPrototypeOf() {
      throw new Error('none')
    },
  },
)

it.each([
  ['a text', () => 'no database'],
  ['an object whose properties throw', () => hostile],
])('a receiver may reject with %s', async (_, thrown) => {
  const { receiver } = await openFilledInbox()
  const broken = { ...receiver, list: () => Promise.reject(thrown()) }
  const answer = consoleFetch(broken, { authorize: () => true, readOnly: true, logger: quiet })
  const response = await answer(new Request('http://console/api/events'))
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'internal_error' }])
})

it('bodies and audits stay out of views of those who may not read them', async () => {
  const { receiver } = await openFilledInbox()
  await receiver.replay('evt_dead', { reason: 'once more', actor: 'operator 2' })
  const [delivery] = await receiver.quarantined()
  const url = await listen(
    consoleHandler(receiver, { authorize: (_, action) => action === 'events:read', readOnly: true }),
  )
  const event = await (await fetch(`${url}/api/events/evt_dead`)).json()
  expect(event).toMatchObject({ id: 'evt_dead' })
  expect(event).not.toHaveProperty('audits')
  const quarantined = await (
    await fetch(`${url}/api/quarantine/${encodeURIComponent(delivery?.key ?? '')}`)
  ).json()
  expect(quarantined).toMatchObject({ code: 'invalid_json' })
  expect(quarantined).not.toHaveProperty('body')
})

it('a person without any right gets words in a browser, and a problem document elsewhere', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, { authorize: () => false, readOnly: true }))
  const page = await fetch(`${url}/`, { headers: { Accept: 'text/html,*/*;q=0.8' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('You may not see this console')
  const answer = await fetch(`${url}/`)
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'forbidden' }])
})

it('authorize that fails looks like a fault of the program, and not like a lost right', async () => {
  const { receiver } = await openFilledInbox()
  const actor = () => 'operator'
  const failing = (): Promise<boolean> => Promise.reject(new Error('the rights cannot be read'))
  const url = await listen(consoleHandler(receiver, { authorize: failing, actor, logger: quiet }))
  const page = await fetch(`${url}/`, { headers: { Accept: 'text/html' } })
  expect([page.status, await page.text()]).toEqual([
    503,
    expect.stringContaining('could not check your rights'),
  ])
  const answer = await fetch(`${url}/api/events/evt_dead/replay`, act('a test'))
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'rights_unknown' }])
  const late = limitedConsole(
    receiver,
    { authorize: () => new Promise<boolean>(() => {}), actor, logger: quiet },
    { askSeconds: 0.1 },
  )
  const unanswered = await listen(late)
  for (const path of ['/', '/assets/index.js', '/api/me', '/api/stream', '/api/overview']) {
    const { status, code, detail } = await json<ProblemDocument>(unanswered + path)
    expect([path, status, code]).toEqual([path, 503, 'rights_too_slow'])
    expect(detail).toBe('The function authorize of this program did not respond.')
  }
  // A right that is known is enough.
  const authorize = (_: unknown, action: string) => (action === 'events:read' ? true : failing())
  const partial = await listen(consoleHandler(receiver, { authorize, actor, logger: quiet }))
  const { actions } = await (await fetch(`${partial}/api/me`)).json()
  expect(actions).toEqual(['events:read'])
})

it('an act needs an actor', async () => {
  const { receiver } = await openFilledInbox()
  for (const [status, code, actor] of [
    [403, 'forbidden', () => ''],
    [403, 'forbidden', () => ' '],
    [403, 'forbidden', () => undefined as unknown as string],
    [503, 'rights_unknown', () => Promise.reject(new Error('?'))],
  ] as const) {
    const url = await listen(consoleHandler(receiver, { authorize: () => true, actor, logger: quiet }))
    const response = await fetch(`${url}/api/events/evt_dead/replay`, act('a test'))
    expect([response.status, await response.json()]).toMatchObject([status, { code }])
  }
  expect(await receiver.audits()).toEqual([])
})

it('the client says neither who it is, nor what the audit keeps beside the reason', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
  const forged = { actor: 'mallory', audit: { actor: 'mallory', reason: 'none' } }
  const headers = { 'X-Actor': 'mallory', 'X-User': 'mallory' }
  const response = await fetch(
    `${url}/api/events/evt_dead/replay?actor=mallory`,
    act('a test', headers, forged),
  )
  expect(response.status).toBe(200)
  expect(await receiver.audits()).toMatchObject([{ actor: 'operator', reason: 'a test' }])
})

it('who did something to a group is shown with the right for it alone', async () => {
  const { receiver } = await openFilledInbox()
  const [group] = await receiver.failures()
  await receiver.acknowledgeGroup(group?.group ?? '', { reason: 'known', actor: 'operator 2' })
  const url = await listen(
    consoleHandler(receiver, { authorize: (_, action) => action === 'events:read', readOnly: true }),
  )
  const shown = await (await fetch(`${url}/api/groups/${encodeURIComponent(group?.group ?? '')}`)).json()
  expect(shown).toMatchObject({ state: 'acknowledged' })
  expect(shown).not.toHaveProperty('audits')
})

it('a read-only console lists no act as permitted', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, { authorize: () => true, readOnly: true }))
  const me = await (await fetch(`${url}/api/me`)).json()
  expect(me).toMatchObject({ isReadOnly: true })
  expect(me).toHaveProperty('actions', ['overview:read', 'events:read', 'bodies:read', 'audits:read'])
})

it.each(['true', 1, {}])('%j from authorize permits nothing, and is logged once', async (answer) => {
  const lines: string[] = []
  const logger = { ...quiet, error: (line: string) => void lines.push(line) }
  const { receiver } = await openFilledInbox()
  const authorize = () => answer as boolean
  const url = await listen(consoleHandler(receiver, { authorize, actor: () => 'operator', logger }))
  for (const view of ['events', 'overview', 'me']) {
    expect((await fetch(`${url}/api/${view}`)).status).toBe(403)
  }
  expect(lines).toEqual([
    `webhook-inbox-console: authorize returned the type ${typeof answer}; only true permits anything`,
  ])
})
