import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { type PostgresServer, startPostgres } from '../../../../test/servers/postgres.js'
import type { Limits } from '../../src/limits.js'
import { openFilledInbox, postgres } from '../rig.js'
import { openConsole } from './scene.js'
import { serve } from './serve.js'

useBrowser('console')

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.close())

it('keeps the figures of a frozen database, says when they were read, and calls nothing well', async () => {
  const { page, program } = await openOnPostgres()
  const dead = page.locator('dl.weather div', { hasText: 'run again only when replayed' }).locator('.value')
  await page.getByText('none silent').first().waitFor()
  await page.getByText('As usual').first().waitFor()
  expect(await dead.textContent()).toBe('1')
  const pausedAt = Date.now()
  server.pause()
  onTestFinished(() => server.resume())
  const banner = page.locator('.note', { hasText: 'The database does not respond. The program does.' })
  await banner.waitFor()
  expect(Date.now() - pausedAt).toBeLessThan(20_000)
  const readAt = Date.parse((await banner.locator('time').getAttribute('datetime')) ?? '')
  expect(readAt).toBeLessThan(pausedAt + 500)
  expect(await dead.textContent()).toBe('1')
  expect(await page.getByText(/As usual|none silent|Nothing stored has failed/).count()).toBe(0)
  const seen = page.getByRole('table', { name: 'Workers' }).locator('tbody time').last()
  const before = await seen.textContent()
  await expect.poll(() => seen.textContent(), { timeout: 10_000 }).not.toBe(before)
  await keepPicture(page, 'frozen-database')
  program.kill('SIGSTOP')
  await page.getByText(/^The program does not respond\. Everything below is as of/).waitFor()
  expect(await banner.count()).toBe(0)
  await keepPicture(page, 'frozen-both')
  program.kill('SIGCONT')
  server.resume()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('As usual').first().waitFor()
  expect(await dead.textContent()).toBe('1')
})

it('says in an open dialog that the database responds again', async () => {
  const { page, url } = await openOnPostgres()
  await page.goto(`${url}/#/events/evt_dead`)
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('the rail is back')
  server.pause()
  onTestFinished(() => server.resume())
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await dialog.getByText(/It is unknown whether it was changed\./).waitFor()
  await page.getByText('The database does not respond. The program does.').waitFor()
  server.resume()
  await dialog.getByText(/The database responds again\.$/).waitFor()
})

it('says that a table is locked, and advises no condition', async () => {
  const { page, schema, url } = await openOnPostgres()
  await page.goto(`${url}/#/events`)
  await page.getByText('evt_dead').first().waitFor()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`BEGIN; LOCK TABLE ${schema}.events`)
  const isAdvised = page
    .getByText('Add a condition')
    .waitFor({ timeout: 15_000 })
    .then(
      () => true,
      () => false,
    )
  await page
    .getByText(/^Another transaction locks the tables of the inbox\. Everything below is as of/)
    .waitFor()
  await keepPicture(page, 'locked-table')
  expect(await isAdvised).toBe(false)
  await client.query('ROLLBACK')
  await page.getByText('Live', { exact: true }).waitFor()
})

it('does not call a worker dead that could not report to a frozen database', async () => {
  const { page, schema, receiver, url } = await openOnPostgres({ reportSeconds: 12 })
  await receiver.stop()
  const report = (seconds: number) =>
    ask(`INSERT INTO ${schema}.workers (endpoint, id, process, version, limited, seen_at)
      VALUES ('payments', 'one', 'host:1', '1.0.0', '{"types":[],"resources":[]}', now() - interval '${seconds} seconds')
      ON CONFLICT (endpoint, id) DO UPDATE SET seen_at = excluded.seen_at`)
  await report(48)
  await page.getByText(/^\d+ s ago, late$/).waitFor()
  await ask(`UPDATE ${schema}.events SET state = 'accepted', done_at = NULL WHERE id = 'evt_done'`)
  server.pause()
  onTestFinished(() => server.resume())
  await page.getByText('The database does not respond.').waitFor()
  await page.waitForTimeout(4000)
  await page.setViewportSize({ width: 360, height: 800 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await keepPicture(page, 'frozen-database-360-dark')
  server.resume()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.goto(`${url}/#/events/evt_done`)
  await page.getByText('It is accepted, and not done yet.').waitFor()
  expect(await page.getByText(/waits because no process runs/).count()).toBe(0)
  await page.goto(`${url}/#/overview`)
  await page.getByRole('table', { name: 'Sources' }).waitFor()
  const dead = page.getByText('no process runs events now')
  for (const end = Date.now() + 3000; Date.now() < end; ) {
    expect(await dead.count()).toBe(0)
  }
  // The time that it has for a report ends.
  await dead.waitFor()
  await report(0)
  await dead.waitFor({ state: 'detached' })
})

async function ask(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** An open overview of a program whose inbox, with its worker here, is in Postgres. */
async function openOnPostgres(limits: Partial<Limits> = {}) {
  let schema = ''
  const { receiver } = await openFilledInbox(
    postgres(
      () => server.url,
      (name) => {
        schema = name
      },
    ),
  )
  const { url, program } = await serve(server.url, schema, JSON.stringify(limits))
  const page = await openConsole(url)
  await page.getByText('Live', { exact: true }).waitFor()
  return { page, program, schema, receiver, url }
}
