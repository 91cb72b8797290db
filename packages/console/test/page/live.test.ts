import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { consoleHandler } from '../../src/index.js'
import { openFilledInbox } from '../rig.js'
import { cell, mount, openConsole } from './scene.js'

useBrowser('console')

it('shows what arrives while it is open', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events' })
  await page.getByText('Live', { exact: true }).waitFor()
  await cell(page, 'transfer.settled').waitFor()
  await inbox.send('account.closed', {}, 'evt_new')
  await cell(page, 'account.closed').waitFor()
})

it('says since when its figures are old while the program is away, and forgets it afterwards', async () => {
  const { receiver } = await openFilledInbox()
  const handler = consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' })
  const serve = async (port: number) => {
    const server = createServer(handler).listen(port, '127.0.0.1')
    await once(server, 'listening')
    const end = () => {
      server.closeAllConnections()
      server.close()
    }
    onTestFinished(end)
    return { end, port: (server.address() as AddressInfo).port }
  }
  const first = await serve(0)
  const page = await openConsole(`http://127.0.0.1:${first.port}`, { hash: '#/events/evt_dead' })
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Discard…' }).waitFor()
  first.end()
  await page.getByText(/^The program does not respond\. The figures are from \d\d:\d\d:\d\d\./).waitFor()
  const age = page.locator('main time').first()
  const before = await age.textContent()
  await expect.poll(() => age.textContent(), { timeout: 10_000 }).not.toBe(before)
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('a test')
  await page.getByRole('button', { name: 'Discard 1' }).click()
  const problem = page
    .getByRole('dialog')
    .getByText('The program did not respond. It is not known whether it happened.')
  await problem.waitFor()
  await serve(first.port)
  await page.getByText('The figures are from').waitFor({ state: 'detached' })
  // It stays, because the change may have been done. A second press is safe.
  expect(await problem.count()).toBe(1)
  await page.getByRole('button', { name: 'Discard 1' }).click()
  await page
    .getByRole('complementary', { name: 'Event' })
    .getByText(/^Discarded .* by operator/)
    .waitFor()
})
