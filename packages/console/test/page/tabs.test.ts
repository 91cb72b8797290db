import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, openInbox } from '../rig.js'
import { cell, mount, openConsole } from './scene.js'

useBrowser('console')

/** Tells the page what a browser tells a tab that is hidden or shown. Chromium without a screen shows every tab. */
const show = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

it('hidden tabs leave their connections to the one that is visible', async () => {
  const inbox = await openFilledInbox()
  const url = await mount(inbox)
  const first = await openConsole(url, { hash: '#/events' })
  await first.getByText('Live', { exact: true }).waitFor()
  const tabs = [first]
  // A browser has six connections to one server over HTTP/1.1.
  for (let i = 0; i < 6; i++) {
    await show(tabs[i] as Page, 'hidden')
    const tab = await first.context().newPage()
    await tab.goto(`${url}/#/events`)
    await tab.getByText('Live', { exact: true }).waitFor()
    tabs.push(tab)
  }
  await inbox.send('account.closed', {}, 'evt_new')
  await cell(tabs[6] as Page, 'account.closed').waitFor()
  expect(await cell(first, 'account.closed').count()).toBe(0)
  await show(tabs[6] as Page, 'hidden')
  await show(first, 'visible')
  await cell(first, 'account.closed').waitFor()
})

it('opens and copies an event whose id a URL would lose', async () => {
  const inbox = await openInbox(undefined, { async 'ledger.noted'() {} })
  const ids = ['..', '.', '~..', '~']
  for (const id of ids) {
    const data = { note: `of ${id}` }
    const created_at = '2026-01-01T00:00:00Z'
    await inbox.sendRaw(JSON.stringify({ id, type: 'ledger.noted', created_at, data }))
  }
  await inbox.until(({ done }) => done === ids.length)
  const page = await openConsole(await mount(inbox), { hash: '#/events' })
  for (const id of ids) {
    await page.goto(`${page.url().split('#')[0]}#/events/${encodeURIComponent(id)}`)
    await page.getByText(`"note": "of ${id}"`).waitFor()
    await page.getByRole('button', { name: /^Copy as…/ }).click()
    await page.getByRole('region', { name: 'What is copied' }).getByText(`of ${id}`).waitFor()
    await page.keyboard.press('Escape')
  }
})
