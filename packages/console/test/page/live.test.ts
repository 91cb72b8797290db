import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { findings, keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { consoleHandler } from '../../src/index.js'
import { limitedConsole, listen, openFilledInbox } from '../rig.js'
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
  await page.getByText(/^The program does not respond\. Everything below is as of \d\d:\d\d:\d\d\./).waitFor()
  // Nothing is in color, because that would be news, and all of it can still be read.
  const colors = () => page.locator('main').evaluate((main) => getComputedStyle(main).filter)
  expect(await colors()).toBe('grayscale(1)')
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await findings(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'away')
  const age = page.locator('main time').first()
  const before = await age.textContent()
  await expect.poll(() => age.textContent(), { timeout: 10_000 }).not.toBe(before)
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('a test')
  await page.getByRole('button', { name: 'Discard 1' }).click()
  const problem = page
    .getByRole('dialog')
    .getByText('The program did not respond. It is unknown whether it was changed.')
  await problem.waitFor()
  await serve(first.port)
  await page.getByText('Everything below is as of').waitFor({ state: 'detached' })
  expect(await colors()).toBe('none')
  // It stays, because the change may have been done. A second press is safe.
  expect(await problem.count()).toBe(1)
  await page.getByRole('button', { name: 'Discard 1' }).click()
  await page
    .getByRole('complementary', { name: 'Event' })
    .getByText(/^Discarded .* by operator/)
    .waitFor()
})

it('shows slow answers while the inbox changes, and asks one question at a time', async () => {
  const inbox = await openFilledInbox()
  const options = { authorize: () => true, actor: () => 'operator' }
  const url = await listen(limitedConsole(inbox.receiver, options, { lookSeconds: 0.2 }))
  const page = await openConsole(url, { hash: '#/overview' })
  await page.getByText('Live', { exact: true }).waitFor()
  let open = 0
  let most = 0
  await page.route('**/api/events?*', async (route) => {
    most = Math.max(most, ++open)
    const response = await route.fetch()
    // Longer than the time between two changes.
    await page.waitForTimeout(1500)
    open--
    await route.fulfill({ response })
  })
  let isOver = false
  const traffic = (async () => {
    for (let at = 0; !isOver; at++) {
      await inbox.send('transfer.settled', { transferId: 'tr_traffic' }, `evt_traffic_${at}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  onTestFinished(async () => {
    isOver = true
    await traffic
  })
  await page.goto(`${url}/#/events`)
  await cell(page, 'evt_dead').waitFor({ timeout: 10_000 })
  const count = await page.locator('.list tbody tr').count()
  // What comes later is shown as well.
  await expect.poll(() => page.locator('.list tbody tr').count(), { timeout: 10_000 }).toBeGreaterThan(count)
  expect(most).toBe(1)
})
