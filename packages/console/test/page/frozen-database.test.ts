import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { type PostgresServer, startPostgres } from '../../../../test/servers/postgres.js'
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
  expect(await page.getByText(/As usual|none silent|All is well/).count()).toBe(0)
  const seen = page.getByRole('table', { name: 'Workers' }).locator('tbody time').last()
  const before = await seen.textContent()
  await expect.poll(() => seen.textContent(), { timeout: 10_000 }).not.toBe(before)
  await keepPicture(page, 'frozen-database')
  program.kill('SIGSTOP')
  await page.getByText(/^The program does not respond\. The figures are from/).waitFor()
  expect(await banner.count()).toBe(0)
  await keepPicture(page, 'frozen-both')
  program.kill('SIGCONT')
  server.resume()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('As usual').first().waitFor()
  expect(await dead.textContent()).toBe('1')
})

/** An open overview of a program whose inbox, with its worker here, is in Postgres. */
async function openOnPostgres() {
  let schema = ''
  await openFilledInbox(
    postgres(
      () => server.url,
      (name) => {
        schema = name
      },
    ),
  )
  const { url, program } = await serve(server.url, schema)
  const page = await openConsole(url)
  await page.getByText('Live', { exact: true }).waitFor()
  return { page, program, schema }
}
