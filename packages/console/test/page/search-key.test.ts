import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

const focused = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.name ?? '')

it.each([1280, 390])('reaches a search with / from every view, %i pixels wide', async (width) => {
  const viewport = { width, height: 844 }
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { viewport })
  for (const [hash, field] of [
    ['overview', 'text'],
    ['failures', 'text'],
    ['events', 'text'],
    ['events/evt_refused_9?state=dead', 'text'],
    ['quarantine', 'text'],
    ['operations', 'text'],
    ['operations/new', 'text'],
    ['audits', 'actor'],
  ] as const) {
    await page.goto(`${url}/#/${hash}`)
    await page.reload()
    await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
    await page.keyboard.press('/')
    await expect.poll(() => focused(page)).toBe(field)
    // The key itself is no part of the search.
    expect(await page.locator('#search').inputValue()).toBe('')
    expect(new URL(page.url()).hash).toContain(
      hash.includes('state=dead') ? 'state=dead' : field === 'actor' ? 'audits' : 'events',
    )
  }
})

it('does nothing else with a letter while a person types', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events' })
  await page.getByRole('link', { name: 'payout.returned' }).first().waitFor()
  const { hash } = new URL(page.url())
  for (const name of ['Text of the error', 'type', 'id']) {
    await page.getByLabel(name, { exact: true }).focus()
    await page.keyboard.type('jkrecae123456/?')
    expect(await page.getByLabel(name, { exact: true }).inputValue()).toBe('jkrecae123456/?')
  }
  expect(new URL(page.url()).hash).toBe(hash)
  expect(await page.getByRole('dialog').count()).toBe(0)
})

it('goes to each page with its number, and shows the keys', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  await page.getByText('Live', { exact: true }).waitFor()
  for (const [at, name] of [
    'Overview',
    'Failures',
    'Events',
    'Quarantine',
    'Operations',
    'Audits',
  ].entries()) {
    await page.keyboard.press(`${at + 1}`)
    await page.locator(`nav [aria-current=page]`, { hasText: name }).waitFor()
  }
  await page.getByRole('button', { name: 'Keys' }).click()
  await page
    .getByRole('dialog', { name: 'Keys' })
    .getByText('Search events, or audits on their page')
    .waitFor()
})
