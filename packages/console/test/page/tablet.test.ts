import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keepPicture, pixelsBeyond, useBrowser } from 'webhook-inbox-ui/browser'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

const audit = {
  reason: 'The ledger was down from 14:05 until 15:30, and each credit was rejected.',
  actor: 'operator-of-the-payments-team@example.com',
}

/** The width of each column of a table, in pixels. */
const columnsOf = (page: Page, table: string) =>
  page
    .locator(`${table} thead th`)
    .evaluateAll((all) => all.map((head) => Math.round(head.getBoundingClientRect().width)).filter(Boolean))

/** How far the content of a table runs out of what contains it. */
const hiddenOf = (page: Page, table: string) =>
  page.locator(table).evaluate(({ parentElement: at }) => (at?.scrollWidth ?? 0) - (at?.clientWidth ?? 0))

it.each([768, 1024])('shows whole columns of the audits on a screen of %i pixels', async (width) => {
  const inbox = await openBusyInbox()
  await inbox.receiver.pause({ type: 'ledger.matched' }, audit)
  const [failure] = await inbox.receiver.failures({ limit: 1 })
  const group = failure?.group as string
  await inbox.receiver.acknowledgeGroup(group, audit)
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/audits', viewport: { width, height: 1000 } })
  for (const hash of ['audits', `failures/${encodeURIComponent(group)}`]) {
    await page.goto(`${url}/#/${hash}`)
    await page.locator('table.audits tbody tr').first().waitFor()
    const [, who = 0, what = 0, why = 0] = await columnsOf(page, 'table.audits')
    // Words need room more than names do.
    expect(
      [hash, who / what, who / why].map((ratio) => (typeof ratio === 'string' ? ratio : ratio < 1.2)),
    ).toEqual([hash, true, true])
    expect(await hiddenOf(page, 'table.audits')).toBe(0)
    expect(await pixelsBeyond(page)).toBeLessThanOrEqual(0)
    await keepPicture(page, `tablet-${hash.split('/')[0]}-${width}`)
  }
})

it('leaves the notes of events a third of a screen of 768 pixels', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    hash: '#/events',
    viewport: { width: 768, height: 1000 },
  })
  await page.locator('.list tbody tr').first().waitFor()
  const columns = await columnsOf(page, 'table.list')
  expect((columns.at(-1) ?? 0) / 768).toBeGreaterThan(1 / 3)
  await keepPicture(page, 'tablet-events-768')
})

it('shows whole meanings in the quarantine, on a tablet and a phone', async () => {
  const inbox = await openBusyInbox()
  for (const width of [360, 768]) {
    const page = await openConsole(await mount(inbox), {
      hash: '#/quarantine',
      viewport: { width, height: 900 },
    })
    const cells = page.locator('.list .remark:not(th)')
    await cells.first().waitFor()
    const cut = await cells.evaluateAll(
      (all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth).length,
    )
    expect([width, cut]).toEqual([width, 0])
  }
})

it('has no button of less than 32 pixels on a phone', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { viewport: { width: 360, height: 800 } })
  for (const view of [
    'overview',
    'failures',
    'events',
    'events/evt_reshaped_1',
    'quarantine',
    'operations',
    'audits',
  ]) {
    await page.goto(`${url}/#/${view}`)
    await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
    await page.waitForFunction(() => !document.querySelector('main')?.textContent?.includes('Reading '))
    const low = await page
      .locator(':is(button, .button, select, input, summary, .brand):visible')
      .evaluateAll((all) =>
        all
          .filter((each) => !each.closest('.search'))
          .map((each) => [each.textContent, Math.round(each.getBoundingClientRect().height)] as const)
          .filter(([, height]) => height < 32),
      )
    expect([view, low]).toEqual([view, []])
  }
})
