import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { rowsOf, useBrowser } from 'webhook-inbox-ui/browser'
import { openInspector, startScene } from './scene.js'

useBrowser('inspector')

const panel = (page: Page) => page.getByRole('region', { name: 'Make something happen' })
const open = (page: Page, part: string) => panel(page).locator('summary', { hasText: part }).click()

test('the form sends a transfer on every rail, and says what each does', async () => {
  const scene = await startScene({ forwardTo: [] })
  const { body: seeds } = await scene.get('/_sandbox/seeds')
  const page = await openInspector(scene.url)
  const rail = panel(page).getByRole('combobox', { name: 'Rail' })
  await expect
    .poll(() => rail.locator('option').allTextContents())
    .toEqual(seeds.rails.map(({ id }: { id: string }) => id))
  const send = panel(page).getByRole('button', { name: 'Send transfer' })
  for (const { id, summary } of seeds.rails) {
    await rail.selectOption(id)
    await panel(page).getByText(summary, { exact: true }).waitFor()
    await send.click()
    await expect
      .poll(async () =>
        (await scene.get('/v1/transfers?limit=100')).body.data.map((each: { rail: string }) => each.rail),
      )
      .toContain(id)
  }
})

test('a transfer moves the amount between the chosen wallets, and a rejection is shown', async () => {
  const scene = await startScene()
  const page = await openInspector(scene.url)
  await panel(page).getByText('1,000,000.00 KES available').waitFor()
  await panel(page).getByRole('combobox', { name: 'From' }).selectOption('wallet_usd_ben')
  await panel(page).getByRole('combobox', { name: 'To' }).selectOption('wallet_usd_chi')
  await panel(page).getByRole('spinbutton', { name: 'Amount in USD' }).fill('99.95')
  await panel(page).getByRole('button', { name: 'Send transfer' }).click()
  await expect.poll(async () => (await rowsOf(page)).length).toBe(2)
  const { body } = await scene.get('/v1/transfers')
  expect(body.data).toMatchObject([
    { source: 'wallet_usd_ben', destination: 'wallet_usd_chi', amount: 99.95, status: 'settled' },
  ])
  await panel(page).getByRole('spinbutton').fill('99999999')
  await panel(page).getByRole('button', { name: 'Send transfer' }).click()
  await panel(page)
    .getByRole('alert')
    .getByText(/The wallet has .* available/)
    .waitFor()
})

test('an event of a known and of an own type can be emitted; data that is no JSON is rejected', async () => {
  const scene = await startScene()
  const page = await openInspector(scene.url)
  await open(page, 'Emit an event')
  const type = panel(page).getByRole('combobox', { name: 'Type' })
  const data = panel(page).getByRole('textbox', { name: 'Data' })
  const emit = panel(page).getByRole('button', { name: 'Emit event' })
  await emit.click()
  await expect.poll(() => rowsOf(page)).toEqual([expect.stringContaining('transfer.settled')])
  await type.fill('evidence.exported')
  await data.fill('{"bundle":')
  await emit.click()
  await panel(page).getByText('The data is not JSON').waitFor()
  await data.fill('{"bundle":"evb_7"}')
  await emit.click()
  await expect.poll(async () => (await rowsOf(page))[0]).toMatch(/Ignored.*evidence\.exported/)
})

test('a transfer that waits is approved or rejected', async () => {
  const scene = await startScene()
  const page = await openInspector(scene.url)
  await panel(page).getByRole('combobox', { name: 'Rail' }).selectOption('sim_approval')
  for (const [decision, state] of [
    ['Approve', 'settled'],
    ['Reject', 'rejected'],
  ] as const) {
    await panel(page).getByRole('button', { name: 'Send transfer' }).click()
    await panel(page).getByText('1 waits').waitFor()
    if (decision === 'Approve') {
      await open(page, 'Approvals')
    }
    await panel(page).getByRole('button', { name: decision }).click()
    await expect.poll(async () => (await scene.get('/v1/transfers')).body.data[0].status).toBe(state)
    await panel(page).getByText('Nothing waits.').waitFor()
  }
})

test('a decision by keyboard keeps the focus on the page, though its button disappears', async () => {
  const scene = await startScene()
  const page = await openInspector(scene.url)
  await panel(page).getByRole('combobox', { name: 'Rail' }).selectOption('sim_approval')
  await panel(page).getByRole('button', { name: 'Send transfer' }).click()
  await panel(page).getByText('1 waits').waitFor()
  await open(page, 'Approvals')
  await panel(page).getByRole('button', { name: 'Approve' }).press('Enter')
  await panel(page).getByText('Nothing waits.').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toMatch(/^H[12]$/)
})

test('the clock moves on, and a late transfer settles on the way', async () => {
  const scene = await startScene({ clock: 'virtual' })
  const page = await openInspector(scene.url)
  await panel(page).getByRole('combobox', { name: 'Rail' }).selectOption('sim_late')
  await panel(page).getByRole('button', { name: 'Send transfer' }).click()
  await open(page, 'Clock')
  await panel(page).getByText('stands still until you advance it').waitFor()
  await page.getByText('No delivery yet').waitFor()
  await panel(page).getByRole('button', { name: '+ 2 h' }).click()
  await expect.poll(async () => (await rowsOf(page)).length).toBe(2)
  expect((await scene.get('/_sandbox/clock')).body.now).toBe('2026-01-01T02:00:00.000Z')
})

test('chaos is switched on for one receiver and for all, and off again', async () => {
  const scene = await startScene({ retry: 'none' })
  const { body: config } = await scene.get('/_sandbox/config')
  const page = await openInspector(scene.url)
  await open(page, 'Chaos')
  await panel(page).getByRole('combobox', { name: 'Change signature' }).selectOption({ label: 'always' })
  await panel(page).getByText('1 on').waitFor()
  await scene.emit('transfer.settled')
  await expect.poll(() => rowsOf(page)).toEqual([expect.stringMatching(/Rejected.*401.*signature_mismatch/)])
  await panel(page).getByRole('combobox', { name: 'On the way to' }).selectOption(config.subscriptions[0].id)
  await panel(page).getByRole('combobox', { name: 'Do not send' }).selectOption({ label: 'half' })
  await panel(page).getByText('2 on').waitFor()
  expect((await scene.get('/_sandbox/chaos')).body).toMatchObject({
    all: { corruptSignature: { probability: 1 } },
    subscriptions: { [config.subscriptions[0].id]: { drop: { probability: 0.5 } } },
  })
  await panel(page).getByRole('button', { name: 'Switch all chaos off' }).click()
  await panel(page).getByText('2 on').waitFor({ state: 'detached' })
  await scene.emit('ledger.matched')
  await expect.poll(async () => (await rowsOf(page))[0]).toMatch(/Processed/)
})

test('a reset asks first, and empties the list', async () => {
  const scene = await startScene()
  await scene.emit('transfer.settled')
  await scene.idle()
  const page = await openInspector(scene.url)
  await expect.poll(async () => (await rowsOf(page)).length).toBe(1)
  await page.getByRole('button', { name: 'Reset the sandbox' }).click()
  await page.getByRole('button', { name: 'Keep everything' }).click()
  expect(await rowsOf(page)).toHaveLength(1)
  await page.getByRole('button', { name: 'Reset the sandbox' }).click()
  await page.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByText('No delivery yet').waitFor()
})
