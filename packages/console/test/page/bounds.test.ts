import Libsql from 'libsql'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { type PostgresServer, startPostgres } from '../../../../test/servers/postgres.js'
import { fillSqlite } from '../millions/fill.js'
import { openFilledInbox, openInbox, postgres, sqliteFile } from '../rig.js'
import { cell, mount, openConsole } from './scene.js'

const isLong = Boolean(process.env.LONG)
if (!isLong) {
  console.info('A list of ten thousand rows: skipped, because it reads fifty pages. Set LONG=1.')
}

useBrowser('console')

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.close())

it('a view that takes too long says so, keeps its other parts, and can be read again', async () => {
  let schema = ''
  const inbox = await openFilledInbox(
    postgres(
      () => server.url,
      (name) => {
        schema = name
      },
    ),
  )
  await inbox.receiver.stop()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  onTestFinished(() => client.end())
  const url = await mount(inbox)
  // Each row takes a minute to read.
  await client.query(`
    ALTER TABLE ${schema}.events RENAME TO real_events;
    CREATE VIEW ${schema}.events AS SELECT e.* FROM ${schema}.real_events AS e, LATERAL pg_sleep(60 + e.attempt * 0)`)
  // The events first: the queries of the overview may take every client of the pool.
  const events = await openConsole(url, { hash: '#/events' })
  await events
    .getByText(
      /^Cannot read the events\. The database (did not finish the query in time|has not responded within 10 seconds)\./,
    )
    .waitFor()
  const overview = await openConsole(url)
  await overview.getByText(/^The statistics cannot be read\. .*seconds/).waitFor()
  await overview.getByText('What this receiver guarantees:').waitFor()
  await overview.getByRole('region', { name: 'Workers' }).first().waitFor()
  await client.query(`DROP VIEW ${schema}.events; ALTER TABLE ${schema}.real_events RENAME TO events`)
  await events.getByRole('button', { name: 'Read again' }).click()
  await cell(events, 'transfer.failed').waitFor()
})

it.runIf(isLong)(
  'ten thousand rows in one list are few elements, and the last one is reached at once',
  async () => {
    const { store, file } = await sqliteFile()
    const inbox = await openInbox(async () => store)
    await inbox.receiver.stop()
    const database = new Libsql(file)
    fillSqlite(database as never, 'payments', 10_000)
    database.close()
    const page = await openConsole(await mount(inbox), { hash: '#/events' })
    const more = page.getByRole('button', { name: 'Read 200 older' })
    for (let read = 100; read < 10_000; read += 200) {
      await more.click()
      await page.getByText(`${Math.min(read + 200, 10_000).toLocaleString('en')} events`).waitFor()
    }
    const rows = page.locator('.list tbody tr:not(.spacer)')
    expect(await rows.count()).toBeLessThan(150)
    // How long the page is busy with one screen of scrolling.
    const busiest = await page.evaluate(async () => {
      const scroller = [...document.querySelectorAll('main *')].find(
        ({ scrollHeight, clientHeight }) => scrollHeight > 100_000 && clientHeight < 2000,
      ) as HTMLElement
      let most = 0
      for (let at = 0; at < 60; at++) {
        const before = performance.now()
        scroller.scrollTop += scroller.clientHeight
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        most = Math.max(most, performance.now() - before)
      }
      scroller.scrollTop = scroller.scrollHeight
      return most
    })
    console.info(`The longest of 60 screens took ${busiest.toFixed(0)} ms.`)
    expect(busiest).toBeLessThan(500)
    await cell(page, 'evt_1').last().waitFor()
    expect(await rows.count()).toBeLessThan(150)
  },
)
