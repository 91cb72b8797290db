import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres.js'
import { consoleHandler } from '../src/index.js'
import { act, listen, openFilledInbox, openInbox, postgres } from './rig.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.close())

/** A console, and a client of the same database, whose transactions can be in its way. */
async function openBeside() {
  let schema = ''
  const { receiver } = await openFilledInbox(
    postgres(
      () => server.url,
      (name) => {
        schema = name
      },
    ),
  )
  const url = await listen(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  onTestFinished(() => client.end())
  return { receiver, url, client, schema }
}

it('every view and every act works on Postgres', async () => {
  const { receiver } = await openFilledInbox(postgres(() => server.url))
  const url = await listen(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
  const [delivery] = await receiver.quarantined()
  const key = encodeURIComponent(delivery?.key ?? '')
  for (const path of [
    'overview',
    'sources',
    'events?state=dead&text=failed',
    'events/evt_dead',
    'events/evt_dead/body',
    'quarantine',
    `quarantine/${key}`,
    'audits',
  ]) {
    expect([path, (await fetch(`${url}/api/${path}`)).status]).toEqual([path, 200])
  }
  const overview = await (await fetch(`${url}/api/overview`)).json()
  expect(overview).toMatchObject({
    statistics: { value: { dead: { count: 1 }, quarantined: { count: 1 } } },
    versions: [{ version: expect.stringMatching(/^\d/), startedAt: expect.any(String) }],
  })
  const source = { inLastDay: { count: 1, isCapped: false }, isSilent: false }
  expect(await (await fetch(`${url}/api/sources`)).json()).toMatchObject({
    sources: [
      { ...source, inLastDay: { count: 2 } },
      { ...source, type: 'transfer.failed' },
      { ...source, type: 'transfer.settled' },
    ],
    isCapped: false,
  })
  for (const [path, state] of [
    ['events/evt_done/replay', 'done'],
    ['events/evt_dead/discard', 'dead'],
    [`quarantine/${key}/discard`, ''],
  ]) {
    const init = act('a test', {}, { seen: { state, generation: 0 } })
    expect([path, (await fetch(`${url}/api/${path}`, init)).status]).toEqual([path, 200])
  }
  expect(await receiver.audits()).toHaveLength(3)
})

it('checks many deliveries, and shows the check as one line', async () => {
  const store = await postgres(() => server.url)()
  const before = await openInbox(async () => store)
  for (let at = 0; at < 3; at++) {
    await before.sendRaw(
      `{"id":"evt_${at}","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}`,
    )
  }
  await before.receiver.stop()
  const { receiver } = await openInbox(async () => store, {}, {}, { inexactNumbers: 'round' })
  const url = await listen(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
  const part = await (await fetch(`${url}/api/quarantine/verify-again`, act('rounded now'))).json()
  expect(part).toEqual({ released: 3, kept: [], gone: 0, unchecked: [] })
  const { rows } = await (await fetch(`${url}/api/audits`)).json()
  expect(rows).toMatchObject([{ action: 'verifyAgain', count: 3, reason: 'rounded now' }])
  expect(await receiver.audits()).toHaveLength(3)
})

it('ends a question that takes too long on the server as well, and answers too_slow', async () => {
  let schema = ''
  const makeStore = postgres(
    () => server.url,
    (name) => {
      schema = name
    },
  )
  const { receiver } = await openFilledInbox(makeStore)
  await receiver.stop()
  const pool = new pg.Pool({ connectionString: server.url })
  onTestFinished(() => pool.end())
  // Each row takes a minute to read.
  await pool.query(`
    ALTER TABLE ${schema}.events RENAME TO real_events;
    CREATE VIEW ${schema}.events AS SELECT e.* FROM ${schema}.real_events AS e, LATERAL pg_sleep(60 + e.attempt * 0)`)
  const url = await listen(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
  const [events, overview] = await Promise.all([fetch(`${url}/api/events`), fetch(`${url}/api/overview`)])
  expect([events.status, await events.json()]).toMatchObject([504, { code: 'too_slow' }])
  expect([overview.status, await overview.json()]).toMatchObject([
    200,
    { guarantee: expect.any(String), statistics: { code: 'too_slow' } },
  ])
  const stillRunning = async () => {
    const sql = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%${schema}%' AND pid <> pg_backend_pid()`
    return (await pool.query(sql)).rows
  }
  await expect.poll(stillRunning, { timeout: 20_000 }).toEqual([])
})

it('says that another transaction locks a table, and advises no condition', async () => {
  const { url, client, schema } = await openBeside()
  await client.query(`BEGIN; LOCK TABLE ${schema}.events`)
  const [events, overview] = await Promise.all([fetch(`${url}/api/events`), fetch(`${url}/api/overview`)])
  const { code, detail } = await events.json()
  expect([events.status, code]).toEqual([503, 'busy'])
  expect(detail).toContain('Another transaction holds a lock')
  expect(detail).not.toContain('condition')
  expect(await overview.json()).toMatchObject({ statistics: { code: 'busy' } })
  await client.query('ROLLBACK')
  expect((await fetch(`${url}/api/events`)).status).toBe(200)
})

it('reads and changes no event while another transaction locks the table, nor later', async () => {
  const { receiver, url, client, schema } = await openBeside()
  await client.query(`BEGIN; LOCK TABLE ${schema}.events`)
  const seen = act('a test', {}, { seen: { state: 'dead', generation: 0 } })
  const plan = act('a test', {}, { action: 'replay', state: 'dead' })
  const responses = await Promise.all([
    fetch(`${url}/api/events/evt_dead`),
    fetch(`${url}/api/events/evt_dead/replay`, seen),
    fetch(`${url}/api/events/evt_dead/discard`, seen),
    fetch(`${url}/api/plans`, plan),
  ])
  const answers = responses.map(async (response) => [response.status, (await response.json()).code])
  expect(await Promise.all(answers)).toEqual(Array(4).fill([503, 'busy']))
  await client.query('ROLLBACK')
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(await receiver.inspect('evt_dead')).toMatchObject({ state: 'dead', generation: 0 })
  expect(await receiver.audits()).toEqual([])
})

it('says that another transaction holds an event, and changes nothing', async () => {
  const { receiver, url, client, schema } = await openBeside()
  await client.query('BEGIN')
  await client.query(`SELECT FROM ${schema}.events WHERE id = 'evt_dead' FOR UPDATE`)
  const init = act('a test', {}, { seen: { state: 'dead', generation: 0 } })
  const discard = () => fetch(`${url}/api/events/evt_dead/discard`, init)
  const response = await discard()
  expect([response.status, await response.json()]).toMatchObject([503, { code: 'busy' }])
  expect(await receiver.inspect('evt_dead')).toMatchObject({ state: 'dead' })
  await client.query('ROLLBACK')
  expect((await discard()).status).toBe(200)
})

it('says that the store does not answer where the server is down, and renders what it can', async () => {
  const { receiver } = await openFilledInbox(postgres(() => server.url))
  const logger = { info() {}, warn() {}, error() {} }
  const url = await listen(
    consoleHandler(receiver, { authorize: () => true, actor: () => 'operator', logger }),
  )
  await server.stop('fast')
  const events = await fetch(`${url}/api/events`)
  expect([events.status, await events.json()]).toMatchObject([503, { code: 'store_unavailable' }])
  const overview = await fetch(`${url}/api/overview`)
  expect([overview.status, await overview.json()]).toMatchObject([
    200,
    { guarantee: expect.any(String), statistics: { code: 'store_unavailable' } },
  ])
})
