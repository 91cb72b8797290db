import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findings, keepPicture, pixelsBeyond, useBrowser } from 'webhook-inbox-ui/browser'
import { type Inbox, openInbox, sharedStore } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

const withNumber = (id: string) =>
  `{"id":"${id}","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}`

/** Deliveries with a number that JavaScript rounds, and one that is no JSON. The receiver accepts such numbers now. */
async function openCorrected(count: number): Promise<Inbox> {
  const makeStore = await sharedStore()
  const before = await openInbox(makeStore)
  for (let at = 0; at < count; at++) {
    await before.sendRaw(withNumber(`evt_${at}`))
  }
  await before.sendRaw('no JSON')
  await before.receiver.stop()
  return openInbox(makeStore, { async 'ledger.noted'() {} }, {}, { inexactNumbers: 'round' })
}

const paneOf = (page: Page) => page.getByRole('complementary', { name: 'Verify again' })

async function preview(page: Page, count: string) {
  await page.getByRole('link', { name: 'Verify again all that match' }).click()
  await paneOf(page).getByText(count).first().waitFor()
}

async function begin(page: Page, button: string) {
  await paneOf(page).getByRole('textbox').fill('numbers are rounded now')
  await paneOf(page).getByRole('button', { name: button }).click()
}

it('releases all deliveries that are valid now, and says why the others stay', async () => {
  const inbox = await openCorrected(30)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await preview(page, '31 deliveries')
  const sample = paneOf(page).getByRole('table', { name: 'Some of these deliveries' })
  expect(await sample.getByText('Valid now').count()).toBe(9)
  await sample.getByText('Would stay').waitFor()
  await paneOf(page).getByText('it was rounded', { exact: false }).waitFor()
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'verify-all-preview')
  await begin(page, 'Verify again all 31')
  await paneOf(page)
    .getByText('Checked: 31 of 31 deliveries. Released: 30. Still in quarantine: 1.')
    .waitFor()
  const happened = paneOf(page).getByRole('table', { name: 'What happened' })
  expect(await happened.locator('tbody tr').allInnerTexts()).toEqual([
    expect.stringMatching(/^Released\s+30/),
    expect.stringMatching(/^Still here\s+1\s+invalid_json/),
  ])
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'verify-all-outcome')
  await inbox.until(({ done, quarantined }) => done === 30 && quarantined === 1)
  expect((await inbox.receiver.audits())[0]).toMatchObject({ reason: 'numbers are rounded now' })
})

it('takes only the deliveries of the filter', async () => {
  const inbox = await openCorrected(3)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await preview(page, '4 deliveries')
  await paneOf(page).getByRole('link', { name: 'invalid_data', exact: true }).click()
  await paneOf(page).getByText('3 deliveries').waitFor()
  await begin(page, 'Verify again all 3')
  await paneOf(page).getByText('Released: 3.', { exact: false }).waitFor()
  expect((await inbox.receiver.quarantined()).map(({ code }) => code)).toEqual(['invalid_json'])
})

it('stops, says what was not checked, and continues there', async () => {
  const inbox = await openCorrected(50)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/quarantine/verify-again', async (route) => {
    await held
    await route.continue()
  })
  await preview(page, '51 deliveries')
  await begin(page, 'Verify again all 51')
  await paneOf(page).getByText('Keep this page open.', { exact: false }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click()
  const bar = page.getByRole('complementary', { name: 'Under way' })
  await bar.getByText('Verifying again: 0 of 51 deliveries.').waitFor()
  await bar.getByRole('link', { name: 'Show' }).click()
  await paneOf(page).getByRole('button', { name: 'Stop' }).click()
  release()
  await paneOf(page).getByText('Checked: 20 of 51 deliveries.', { exact: false }).waitFor()
  await paneOf(page)
    .getByRole('row', { name: /Not checked\s+31/ })
    .waitFor()
  await keepPicture(page, 'verify-all-stopped')
  await paneOf(page).getByRole('button', { name: 'Continue with the rest' }).click()
  await paneOf(page).getByText('Released: 50. Still in quarantine: 1.', { exact: false }).waitFor()
})

it('says that a part got no answer, and continues when the program is back', async () => {
  const inbox = await openCorrected(30)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  let parts = 0
  await page.route('**/quarantine/verify-again', async (route) => {
    parts += 1
    await (parts === 2 ? route.abort() : route.continue())
  })
  await preview(page, '31 deliveries')
  await begin(page, 'Verify again all 31')
  await paneOf(page).getByText('up to 20 may be released', { exact: false }).waitFor()
  await paneOf(page).getByText('Interrupted').waitFor()
  await paneOf(page).getByRole('button', { name: 'Continue with the rest' }).click()
  await paneOf(page).getByText('Released: 30. Still in quarantine: 1.', { exact: false }).waitFor()
})

it('blames no operator for what a part without an answer released', async () => {
  const inbox = await openCorrected(30)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  let parts = 0
  await page.route('**/quarantine/verify-again', async (route) => {
    parts += 1
    if (parts > 1) {
      return route.continue()
    }
    await route.fetch()
    await route.abort()
  })
  await preview(page, '31 deliveries')
  await begin(page, 'Verify again all 31')
  await paneOf(page).getByRole('button', { name: 'Continue with the rest' }).click()
  await paneOf(page).getByText('Ended', { exact: true }).waitFor()
  await paneOf(page)
    .getByRole('row', { name: /Gone\s+19\s+they had left the quarantine before their check/ })
    .waitFor()
  await paneOf(page)
    .getByText('Checked: 31 of 31 deliveries. Released: 11. Still in quarantine: 1. Gone: 19.')
    .waitFor()
  // The bar has no rest.
  const widths = await paneOf(page)
    .locator('.progress rect')
    .evaluateAll((parts) => parts.map((part) => part.getAttribute('width')))
  expect(widths).toEqual(['11', '19', '1'])
})

it('offers nothing to a person without the right', async () => {
  const inbox = await openCorrected(1)
  const url = await mount(inbox, { authorize: (_, action) => action !== 'deliveries:verify' })
  const page = await openConsole(url, { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_json', exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Verify again all that match' }).count()).toBe(0)
  await page.goto(`${url}/#/quarantine/verify-all`)
  await paneOf(page).getByText('It needs the right deliveries:verify.', { exact: false }).waitFor()
})

it.each([
  ['light', 'light'],
  ['dark', 'dark'],
] as const)('fits a phone, %s', async (name, colorScheme) => {
  const inbox = await openCorrected(3)
  const phone = { viewport: { width: 360, height: 740 }, colorScheme }
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine', ...phone })
  await page.getByRole('link', { name: 'Verify again all that match' }).waitFor()
  await keepPicture(page, `verify-all-list-phone-${name}`)
  await preview(page, '4 deliveries')
  expect(await pixelsBeyond(page)).toBeLessThanOrEqual(0)
  await keepPicture(page, `verify-all-phone-${name}`)
  await begin(page, 'Verify again all 4')
  await paneOf(page).getByText('Released: 3.', { exact: false }).waitFor()
  expect(await pixelsBeyond(page)).toBeLessThanOrEqual(0)
  await keepPicture(page, `verify-all-outcome-phone-${name}`)
})
