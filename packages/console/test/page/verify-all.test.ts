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

const widths = (parts: Element[]) => parts.map((part) => part.getAttribute('width'))

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
  await paneOf(page)
    .getByText('For what stays here, your reason is only in the log of the program.')
    .waitFor()
  await paneOf(page).getByRole('link', { name: 'audits', exact: true }).click()
  expect(await page.getByRole('combobox', { name: 'What' }).inputValue()).toBe('verifyAgain')
  const audits = page.getByRole('table', { name: 'Who did what' })
  await audits.getByText('verify again 30 deliveries').waitFor()
  expect(await audits.locator('tbody tr').count()).toBe(1)
  await audits.getByRole('link', { name: 'each event' }).click()
  await expect.poll(() => audits.locator('tbody tr').count()).toBe(30)
})

it('warns of no rounded number where each delivery would stay, and calls nothing a success then', async () => {
  const makeStore = await sharedStore()
  const before = await openInbox(makeStore)
  await before.sendRaw(withNumber('evt_1'))
  await before.receiver.stop()
  const resource = () => {
    throw new Error('the ledger is unknown')
  }
  const inbox = await openInbox(makeStore, {}, {}, { inexactNumbers: 'round', resource })
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await preview(page, '1 delivery')
  await paneOf(page).getByText('Would stay').waitFor()
  expect(await paneOf(page).getByText('it was rounded', { exact: false }).count()).toBe(0)
  await begin(page, 'Verify again all 1')
  await paneOf(page).getByText('Released: 0. Still in quarantine: 1.', { exact: false }).waitFor()
  const released = paneOf(page).getByRole('row', { name: /^Released\s+0/ })
  expect(await released.locator('[data-outcome]').getAttribute('data-outcome')).toBe('ignored')
  expect(await paneOf(page).locator('.outcome[data-outcome=processed]').count()).toBe(0)
  await page.goto(
    page
      .url()
      .replace(
        /#.*/,
        `#/quarantine/${encodeURIComponent((await inbox.receiver.quarantined())[0]?.key ?? '')}`,
      ),
  )
  await page.getByRole('button', { name: 'Verify again…' }).click()
  await page.getByRole('dialog').getByRole('textbox').waitFor()
  expect(await page.getByText('it was rounded', { exact: false }).count()).toBe(0)
})

it('calls a check that found no delivery neutral', async () => {
  const inbox = await openCorrected(0)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await preview(page, '1 delivery')
  await page.route('**/quarantine/verify-again', async (route) => {
    const [delivery] = await inbox.receiver.quarantined()
    await inbox.receiver.discard(delivery?.key ?? '', { reason: 'a test', actor: 'Anna' })
    const { shown: _, ...body } = route.request().postDataJSON()
    await route.continue({ postData: JSON.stringify(body) })
  })
  await begin(page, 'Verify again all 1')
  await paneOf(page).getByText('Gone: 1.', { exact: false }).waitFor()
  expect(await paneOf(page).locator('.note').first().getAttribute('data-outcome')).toBe('ignored')
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
  const bar = page.getByRole('complementary', { name: 'Verify again' })
  await bar.getByText('Verify again: Running. Checked: 0 of 51 deliveries. Released: 0.').waitFor()
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
    .getByRole('row', { name: /Gone\s+20\s+they had left the quarantine before their check/ })
    .waitFor()
  await paneOf(page)
    .getByText('Checked: 31 of 31 deliveries. Released: 10. Still in quarantine: 1. Gone: 20.')
    .waitFor()
  // The bar has no rest.
  expect(await paneOf(page).locator('.progress rect').evaluateAll(widths)).toEqual(['10', '20', '1', '0'])
})

it('says which delivery was not checked, and keeps the outcome until it is closed', async () => {
  const inbox = await openCorrected(3)
  const { receiver } = inbox
  const verifyAgain: typeof receiver.verifyAgain = async (query, audit) => {
    const delivery = await receiver.inspectQuarantined(query.key ?? '')
    if (delivery?.eventId === 'evt_2') {
      throw new Error('the queue refuses it')
    }
    return receiver.verifyAgain(query, audit)
  }
  const url = await mount({ ...inbox, receiver: { ...receiver, verifyAgain } }, { logger: false })
  const page = await openConsole(url, { hash: '#/quarantine' })
  await preview(page, '4 deliveries')
  await begin(page, 'Verify again all 4')
  const pane = paneOf(page)
  await pane
    .getByText('Checked: 3 of 4 deliveries. Released: 2. Still in quarantine: 1. Not checked: 1.')
    .waitFor()
  await pane.getByText('Ended', { exact: true }).waitFor()
  const row = pane.getByRole('row', { name: /^Not checked\s+1/ })
  await row.getByText('evt_2: The log of the program says why.').waitFor()
  expect(await pane.locator('.progress rect').evaluateAll(widths)).toEqual(['2', '0', '1', '1'])
  await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click()
  const bar = page.getByRole('complementary', { name: 'Verify again' })
  await bar.getByText('Verify again: Ended. Checked: 3 of 4 deliveries. Released: 2.').waitFor()
  await bar.getByRole('link', { name: 'Show' }).click()
  await row.waitFor()
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'verify-all-not-checked')
  await page.getByRole('navigation').getByRole('link', { name: 'Operations' }).click()
  await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor()
  expect(await findings(page)).toEqual([])
  await bar.getByRole('button', { name: 'Close' }).click()
  await bar.waitFor({ state: 'detached' })
})

it('calls no delivery gone where the preview did not count all', async () => {
  const inbox = await openCorrected(3)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.route('**/quarantine/preview', async (route) => {
    const preview = await (await route.fetch()).json()
    await route.fulfill({ json: { ...preview, count: 40, isCapped: true } })
  })
  await preview(page, '40+ deliveries')
  await begin(page, 'Verify again all')
  await paneOf(page).getByText('Ended', { exact: true }).waitFor()
  await paneOf(page)
    .getByText('Checked: 4 of 40+ deliveries. Released: 3. Still in quarantine: 1.', { exact: true })
    .waitFor()
})

it('starts nothing where the quarantine changed after the preview, and previews it again', async () => {
  const inbox = await openCorrected(3)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await preview(page, '4 deliveries')
  const [{ key = '' } = {}] = await inbox.receiver.quarantined({ code: 'invalid_data' })
  await inbox.receiver.discard(key, { reason: 'a test', actor: 'Anna' }, { kind: 'delivery' })
  await begin(page, 'Verify again all 4')
  const pane = paneOf(page)
  await pane.getByRole('alert').getByText('4 matched then, and 3 match now', { exact: false }).waitFor()
  await pane.getByText('3 deliveries').waitFor()
  expect(await pane.getByRole('textbox').inputValue()).toBe('numbers are rounded now')
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'verify-all-changed')
  await pane.getByRole('button', { name: 'Verify again all 3' }).click()
  await pane.getByText('Released: 2. Still in quarantine: 1.', { exact: false }).waitFor()
})

it('says when the sample was checked', async () => {
  const page = await openConsole(await mount(await openCorrected(12)), { hash: '#/quarantine' })
  await preview(page, '13 deliveries')
  const heading = paneOf(page).getByRole('heading', { name: 'A sample of 10, checked now' })
  expect(await heading.locator('time').count()).toBe(1)
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
