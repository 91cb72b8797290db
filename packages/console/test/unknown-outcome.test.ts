import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
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
const unknown = 'It is not known whether it happened. Look before you try again.'

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
  const once = `${late} ${unknown} A second try cannot do it twice.`
  expect(said.map(({ code, detail }) => [code, detail])).toEqual(
    [once, once, once, `${late} ${unknown}`, late].map((detail) => ['too_slow', detail]),
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
  const log = 'The log of the program says why.'
  expect(await detailOf('events/evt_dead/replay', { reason, seen: { state: 'dead', generation: 0 } })).toBe(
    `${unknown} A second try cannot do it twice. ${log}`,
  )
  expect(await detailOf('flow/pause', { reason })).toBe(`${unknown} ${log}`)
  expect(await detailOf('plans', { action: 'replay', where: {} })).toBe(
    `The database does not respond. ${log}`,
  )
})

interface Said {
  readonly detail: string
}
