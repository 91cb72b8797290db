import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { StoreError } from 'webhook-inbox'
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres.js'
import { consoleHandler } from '../src/index.js'
import { act, limitedConsole, listen, openFilledInbox, postgres } from './rig.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.close())

const options = { authorize: () => true, actor: () => 'operator' }
const late = 'The database has not responded within 2 seconds.'
const unknown = (what: string) =>
  `It is unknown whether it was changed. Look at ${what} before you try again.`
const pauses = 'the overview'

it('says of a late change that it may have happened, and where that is promised, a second try repeats nothing', async () => {
  const inbox = await openFilledInbox(postgres(() => server.url))
  await inbox.send('transfer.failed', { transferId: 'tr_2' }, 'evt_gone')
  await inbox.send('transfer.failed', { transferId: 'tr_3' }, 'evt_edited')
  await inbox.until(({ dead }) => dead === 3)
  const { receiver } = inbox
  const url = await listen(limitedConsole(receiver, options, { answerSeconds: 2 }))
  const edited = '{"id":"evt_edited","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{}}'
  const changes: readonly (readonly [string, object?])[] = [
    ['events/evt_dead/replay'],
    ['events/evt_gone/discard'],
    ['events/evt_edited/replay-edited', { body: edited }],
  ]
  const others = [['flow/pause'], ['plans', { action: 'replay', where: {} }]] as const
  const send = ([path, body]: readonly [string, object?]) => {
    const { headers, body: given, method } = act('a test', {}, body)
    const { seen: _, ...bare } = JSON.parse(given)
    const isOnEvent = path.startsWith('events/')
    return fetch(`${url}/api/${path}`, { method, headers, body: isOnEvent ? given : JSON.stringify(bare) })
  }
  server.pause()
  onTestFinished(() => server.resume())
  const first = await Promise.all([...changes, ...others].map(send))
  const said = await Promise.all(first.map((response) => response.json()))
  const once = `${late} ${unknown('the event')} A second try cannot do it twice.`
  expect(said.map(({ code, detail }) => [code, detail])).toEqual(
    [once, once, once, `${late} ${unknown(pauses)}`, late].map((detail) => ['too_slow', detail]),
  )
  const second = changes.map(send)
  await new Promise((resolve) => setTimeout(resolve, 200))
  server.resume()
  // Made by the first or by the second. The other one finds it done, changed or locked.
  for (const { status } of await Promise.all(second)) {
    expect([200, 404, 409, 503]).toContain(status)
  }
  const made = async () => (await receiver.audits()).map(({ action }) => action).sort()
  await expect.poll(made, { timeout: 10_000 }).toEqual(['discard', 'pause', 'replay', 'replayEdited'])
})

it('says of a frozen database only what is known, and logs the change with its event and its person', async () => {
  const { receiver } = await openFilledInbox(postgres(() => server.url))
  const lines: string[] = []
  const logger = { info() {}, warn() {}, error: (line: string) => void lines.push(line) }
  const url = await listen(consoleHandler(receiver, { ...options, logger }))
  server.pause()
  onTestFinished(() => server.resume())
  const answer = await fetch(`${url}/api/events/evt_dead/replay`, act('the rail is back'))
  const { detail } = (await answer.json()) as Said
  expect(detail).toMatch(
    /^The database (did not finish it in time|has not responded within \d+ seconds)\. It is unknown/,
  )
  expect(detail).toMatch(/The log of the program says why\.$/)
  expect(lines.join()).toMatch(/outcome is unknown of POST \/events\/evt_dead\/replay by operator/)
}, 40_000)

it('says of a change without a reply of the database that it may have happened, and not of a preview', async () => {
  const { receiver } = await openFilledInbox(postgres(() => server.url))
  const url = await listen(consoleHandler(receiver, { ...options, logger: false }))
  await server.kill()
  const detailOf = async (path: string, body: object) =>
    (
      (await (
        await fetch(`${url}/api/${path}`, { ...act('a test'), body: JSON.stringify(body) })
      ).json()) as Said
    ).detail
  const reason = 'a test'
  const [down, log] = ['The database did not respond.', 'The log of the program says why.']
  expect(await detailOf('events/evt_dead/replay', { reason, seen: { state: 'dead', generation: 0 } })).toBe(
    `${down} ${unknown('the event')} A second try cannot do it twice. ${log}`,
  )
  expect(await detailOf('flow/pause', { reason })).toBe(`${down} ${unknown(pauses)} ${log}`)
  expect(await detailOf('plans', { action: 'replay', where: {} })).toBe(`${down} ${log}`)
})

/** What the console says of a change whose store throws. */
async function saidOf(path: string, broken: object, body: object = {}): Promise<Said> {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler({ ...receiver, ...broken }, { ...options, logger: false }))
  return (await fetch(`${url}/api/${path}`, act('a test', {}, body))).json() as Promise<Said>
}

const locked = new StoreError('locked', { reason: 'busy' })
const cancelled = new StoreError('cancelled', { reason: 'timeout' })

it.each([
  ['a fault', new Error('oops'), 'The console failed. It is unknown whether it was changed.'],
  [
    'a cancelled query',
    cancelled,
    'The database did not finish it in time. It is unknown whether it was changed.',
  ],
  ['a lock', locked, 'Try again in a moment. Nothing was changed.'],
  ['a wrong value', configuration(), 'perSecond must be a number. Nothing was changed.'],
])('says after %s whether something may have changed', async (_, error, said) => {
  const { detail } = await saidOf('events/evt_dead/replay', { replay: () => Promise.reject(error) })
  expect(detail).toContain(said)
})

const ofOne = { of: 'evt_dead', kind: 'event', seen: { undoUntil: '2026-01-01T00:00:00Z' } }

it('says of a lock that a part may be undone already', async () => {
  const undo = () => Promise.reject(locked)
  expect((await saidOf('undo', { undo }, ofOne)).detail).toContain(unknown('what was discarded'))
})

it('says of a part of many checks how much may have changed', async () => {
  const verifyAgain = () =>
    Promise.reject(Object.assign(new Error(), { name: 'StoreError', code: 'store_unavailable' }))
  expect((await saidOf('quarantine/verify-again', { verifyAgain })).detail).toContain(
    'up to 20 may be released',
  )
})

it('says that nothing was changed where the request was rejected', async () => {
  const { receiver } = await openFilledInbox()
  const hangs = { ...options, logger: false as const, authorize: () => new Promise<boolean>(() => {}) }
  const url = await listen(limitedConsole(receiver, hangs, { askSeconds: 0.1 }))
  const { detail } = (await (await fetch(`${url}/api/events/evt_dead/replay`, act('a test'))).json()) as Said
  expect(detail).toBe(
    'The function authorize of this program did not respond. Nothing was changed. You can try again.',
  )
  const strangers = await listen(consoleHandler(receiver, { ...options, authorize: () => false }))
  const refused = await fetch(`${strangers}/api/events/evt_dead/replay`, act('a test'))
  expect(((await refused.json()) as Said).detail).toBe(
    'This needs the right events:replay. Nothing was changed.',
  )
})

function configuration(): Error {
  return Object.assign(new Error(), {
    name: 'ConfigurationError',
    code: 'invalid_option',
    detail: 'perSecond must be a number',
  })
}

interface Said {
  readonly detail: string
}
