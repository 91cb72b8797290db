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

it.each([
  ['event', '#/events?state=dead', '[data-id=evt_refused_9]', /^Discard…/],
  ['cause', '#/failures', '.cover >> nth=0', /^Resolve…/],
] as const)('goes from a row to the open %s with a second Enter', async (_, hash, row, act) => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash })
  await page.locator(row).focus()
  await page.keyboard.press('Enter')
  const pane = page.getByRole('complementary')
  const button = pane.getByRole('button', { name: act })
  await button.waitFor()
  expect(await pane.locator(':focus').count()).toBe(0)
  await page.keyboard.press('Enter')
  await expect.poll(() => pane.locator('h2:focus').count()).toBe(1)
  // Its acts follow at once.
  const isOnAct = () => button.evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 10 && !(await isOnAct()); tabs++) {
    await page.keyboard.press('Tab')
  }
  expect(await isOnAct()).toBe(true)
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
  const isWide = width > 1000
  const row = page.locator('[data-id=evt_refused_9]')
  await row.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Discard…/ }).waitFor()
  await expect.poll(focused).toBe(isWide ? 'A transfer.settled' : 'H2 evt_refused_9')
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
    await expect.poll(focused).toBe(isWide ? 'A transfer.settled' : 'H2 evt_refused_9')
  }
  await page.keyboard.press('Escape')
  await expect.poll(focused).toBe('A transfer.settled')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Replay…/ }).press('Enter')
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
