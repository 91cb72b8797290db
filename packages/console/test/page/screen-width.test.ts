import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { cell, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it.each([[390], [800]])(
  'shows every page and the id of each event on a screen of %i pixels',
  async (width) => {
    const viewport = { width, height: 844 }
    const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events', viewport })
    const [pages, states] = ['Pages', 'Filter by state'].map((name) =>
      page.getByRole('navigation', { name }).getByRole('link'),
    ) as [Locator, Locator]
    await cell(page, 'evt_returned_2').waitFor()
    expect(await pages.allInnerTexts()).toEqual([
      'Overview',
      'Failures',
      'Events',
      'Quarantine',
      'Operations',
      'Audits',
    ])
    for (const each of [...(await pages.all()), ...(await states.all())]) {
      const box = await each.boundingBox()
      const { x, y, width, height } = box ?? { x: -1, y: 0, width: 0, height: 0 }
      expect([x >= 0, x + width <= viewport.width]).toEqual([true, true])
      // Nothing covers it, and no container cuts it off.
      const isOnTop = await each.evaluate(
        (link, at) =>
          at.every(([x, y]) => link.contains(document.elementFromPoint(x as number, y as number))),
        [x + 4, x + width / 2, x + width - 4].map((left) => [left, y + height / 2]),
      )
      expect(isOnTop).toBe(true)
    }
    const rows = page.locator('.list tbody tr:not(.spacer)')
    const id = rows.first().locator('.event')
    expect(await id.textContent()).toBe('evt_returned_2')
    expect((await id.boundingBox())?.height).toBeGreaterThan(10)
  },
)

it('ends the scale where its plot ends', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    viewport: { width: 1440, height: 900 },
  })
  const [plot, scale] = [page.locator('svg.arrivals'), page.locator('.scale')]
  await plot.waitFor()
  expect((await scale.boundingBox())?.width).toBe((await plot.boundingBox())?.width)
})

it('keeps a count near its cause, and a line short enough to read, on a screen of 2,560 pixels', async () => {
  const viewport = { width: 2560, height: 1300 }
  const inbox = await openBusyInbox()
  const plan = await inbox.receiver.plan({ action: 'discard' })
  await (await inbox.receiver.run(plan, { reason: 'known', actor: 'operator 2' })).finished()
  const page = await openConsole(await mount(inbox), { viewport })
  const widthOf = async (what: Locator) => (await what.first().boundingBox())?.width
  await page.getByText('What this receiver guarantees:').waitFor()
  expect(await widthOf(page.getByText('What this receiver guarantees:').locator('..'))).toBeLessThan(1000)
  for (const view of ['overview', 'failures', 'events', 'operations', 'audits']) {
    await page.evaluate((to) => {
      location.hash = to
    }, `#/${view}`)
    await page.locator(`nav [aria-current=page][href$="${view}"]`).waitFor()
    const table = page.locator('main table')
    await table.first().waitFor()
    expect([view, (await widthOf(table)) ?? 0]).toEqual([view, expect.toSatisfy((width) => width < 1600)])
  }
})

it('gives the note of an event more room than its type', async () => {
  const viewport = { width: 1440, height: 844 }
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events', viewport })
  const row = cell(page, 'evt_returned_2')
  await row.waitFor()
  const widths = await Promise.all(
    ['.type', '.remark'].map(async (name) => (await row.locator(name).boundingBox())?.width ?? 0),
  )
  expect(widths[1]).toBeGreaterThan(2 * (widths[0] ?? 0))
})
