import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('needs the keyboard alone: find, open, replay, go on, back, help', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox))
  const press = (key: string) => page.keyboard.press(key)
  const isAt = (hash: string) => expect.poll(() => new URL(page.url()).hash).toBe(hash)
  await page.getByText('Live', { exact: true }).waitFor()
  await press('3')
  await isAt('#/events')
  await page.getByRole('link', { name: 'payout.returned' }).first().waitFor()
  await press('/')
  await page.keyboard.type('ledger')
  await press('Enter')
  await isAt('#/events?text=ledger')
  await page.getByText('12 events, and no older ones.').waitFor()
  await press('Escape')
  await press('j')
  await press('j')
  await press('Enter')
  await isAt('#/events/evt_refused_10?text=ledger')
  // The address changes before the page does.
  await page.getByRole('heading', { name: 'evt_refused_10' }).waitFor()
  await press('j')
  await isAt('#/events/evt_refused_9?text=ledger')
  await page.getByRole('heading', { name: 'evt_refused_9' }).waitFor()
  await page.getByRole('button', { name: /^Replay…/ }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await press('r')
  // No wait: the first letter belongs to the reason.
  await page.keyboard.type('3 ledgers are back')
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('textbox').inputValue()).toBe('3 ledgers are back')
  await isAt('#/events/evt_refused_9?text=ledger')
  await press('Tab')
  await press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(async () => (await inbox.receiver.inspect('evt_refused_9'))?.generation).toBe(1)
  await page.getByRole('button', { name: /^Replay…/ }).waitFor({ state: 'detached' })
  await expect.poll(focused).toMatch(/^(evt_refused_9|transfer\.settled)$/)
  await press('Escape')
  await isAt('#/events?text=ledger')
  // While the event runs again, it has no error, and is not in the list.
  await expect.poll(focused).toMatch(/^(Events|transfer\.settled)$/)
  await press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Act on all events that match').waitFor()
})

it('keeps a dialog open that was opened right after the address had changed', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events' })
  await page.getByRole('heading', { name: 'Events' }).waitFor()
  // The browser sends the event of the change later.
  await page.evaluate(() => {
    location.hash = '#/failures'
    document.dispatchEvent(new KeyboardEvent('keydown', { key: '?' }))
  })
  await page.getByRole('heading', { name: 'Failures' }).waitFor()
  expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(true)
  await page.evaluate(() => {
    location.hash = '#/events'
  })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

it.each([1280, 390])('keeps the focus at a sensible element, %i pixels wide', async (width) => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    hash: '#/events?state=dead',
    viewport: { width, height: 844 },
  })
  const focused = () =>
    page.evaluate(() => {
      const { tagName = '', textContent } = document.activeElement ?? {}
      return tagName === 'TEXTAREA' || tagName === 'INPUT' ? tagName : `${tagName} ${textContent}`
    })
  const row = page.locator('[data-id=evt_refused_9]')
  await row.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Discard…/ }).waitFor()
  await expect.poll(focused).toBe('H2 evt_refused_9')
  for (const [key, field] of [
    ['r', 'TEXTAREA'],
    ['e', 'TEXTAREA'],
    ['c', 'INPUT'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('dialog').waitFor()
    await expect.poll(focused).toBe(field)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(focused).toBe('H2 evt_refused_9')
  }
  await page.keyboard.press('Escape')
  await expect.poll(focused).toBe('A transfer.settled')
  await page.keyboard.press('Enter')
  // The page moves the focus to what it opened. A key that is pressed before goes to another element.
  await expect.poll(focused).toBe('H2 evt_refused_9')
  await page.getByRole('button', { name: /^Replay…/ }).press('Enter')
  await page.getByRole('dialog').waitFor()
  await expect.poll(focused).toBe('TEXTAREA')
  await page.keyboard.type('the ledger is back')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  // The button is gone with the state of the event.
  await page.getByRole('button', { name: /^Replay…/ }).waitFor({ state: 'detached' })
  await expect.poll(focused).toBe('H2 evt_refused_9')
  await page.keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Event' }).waitFor({ state: 'detached' })
  // The event has left the list with its state.
  await expect.poll(focused).toBe('H1 Events')
})

/** Presses Tab until a button or link with this text has the focus; resolves to how often. */
async function tabsTo(page: Page, text: string): Promise<number> {
  for (let count = 1; count < 20; count++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => document.activeElement?.textContent ?? '')
    if (focused.startsWith(text)) {
      return count
    }
  }
  return Number.POSITIVE_INFINITY
}

const headingOf = (page: Page) =>
  page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent}`)

it('reaches each act of an open event in a few tabs, and its row with Escape', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events?state=dead' })
  const row = page.locator('[data-id=evt_refused_9]')
  await row.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Discard…/ }).waitFor()
  expect(await tabsTo(page, 'Discard…')).toBeLessThan(6)
  await page.keyboard.press('Escape')
  await expect.poll(() => row.evaluate((link) => link === document.activeElement)).toBe(true)
  // The keys that go from row to row leave the focus in the list. Enter goes to what they opened.
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'evt_refused_9' }).waitFor()
  await page.keyboard.press('j')
  await expect.poll(() => headingOf(page)).toBe('A transfer.settled')
  await page.getByRole('heading', { name: 'evt_refused_8' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => headingOf(page)).toBe('H2 evt_refused_8')
})

it.each(['#/failures', '#/overview'])(
  'reaches the acts of a cause in a few tabs, opened from %s',
  async (hash) => {
    const page = await openConsole(await mount(await openBusyInbox()), { hash })
    await page.getByRole('link', { name: /the ledger answered/ }).press('Enter')
    await page.getByRole('complementary', { name: 'Cause' }).getByRole('heading', { level: 2 }).waitFor()
    await expect.poll(() => headingOf(page)).toMatch(/^H2 .*the ledger answered/)
    expect(await tabsTo(page, 'Resolve…')).toBeLessThan(8)
  },
)

it('skips the list of a linked event', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events/evt_refused_9' })
  await page.getByRole('button', { name: /^Discard…/ }).waitFor()
  await page.keyboard.press('Tab')
  const skip = page.getByRole('button', { name: 'Skip to what is open' })
  await expect.poll(() => skip.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await expect.poll(() => headingOf(page)).toBe('H2 evt_refused_9')
})
