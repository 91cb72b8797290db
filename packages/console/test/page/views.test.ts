import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findings, keepPicture, pixelsBeyond, useBrowser } from 'webhook-inbox-ui/browser'
import { addSilentType, mount, openBusyInbox, openConsole, spreadOverAnHour } from './scene.js'

useBrowser('console')

/** Both widths and both color schemes, each once. */
const usual = [
  ['desktop', 'light', 1440, 900],
  ['phone', 'dark', 360, 740],
] as const
const others = [
  ['desktop', 'dark', 1440, 900],
  ['phone', 'light', 390, 844],
  ['wide', 'dark', 2560, 1200],
] as const
if (!process.env.LONG) {
  console.info(
    'Views on a dark desktop, a light phone and a wide screen: skipped, because each repeats the same views. Set LONG=1.',
  )
}

it.each(process.env.LONG ? [...usual, ...others] : usual)(
  'each view is accessible and does not overflow: %s, %s',
  async (name, colorScheme, width, height) => {
    const inbox = await openBusyInbox()
    const { receiver } = inbox
    const [refused, reshaped] = ['evt_refused_1', 'evt_reshaped_1']
    const groupOf = async (id: string) => (await receiver.inspect(id))?.group as string
    const group = encodeURIComponent(await groupOf(reshaped))
    const audit = { reason: 'the ledger is back', actor: 'operator' }
    await receiver.acknowledgeGroup(await groupOf('evt_returned_1'), audit)
    const plan = await receiver.plan({ action: 'discard', where: { group: await groupOf(reshaped) } })
    const replay = await receiver.plan({ action: 'replay', where: { group: await groupOf(refused) } })
    await receiver.replay(refused, audit)
    await inbox.until(({ failed }) => failed === 4)
    const run = await receiver.run(replay, { ...audit, canary: 0, perSecond: 1000 })
    await run.finished()
    spreadOverAnHour(inbox.file)
    addSilentType(inbox.file, 'statement.ready')
    const [conflict] = await receiver.quarantined()
    const views = {
      overview: 'overview',
      failures: 'failures',
      failure: `failures/${group}`,
      events: 'events',
      event: `events/${reshaped}`,
      failed: 'events/evt_returned_1',
      quarantine: 'quarantine',
      delivery: `quarantine/${encodeURIComponent(conflict?.key ?? '')}`,
      operations: 'operations',
      preview: 'operations/new?action=discard&state=dead',
      outcome: `operations/${run.id}`,
      audits: 'audits',
    }
    expect(plan.count).toBe(2)
    const page = await openConsole(await mount(inbox), { viewport: { width, height }, colorScheme })
    const found: unknown[] = []
    const edges: Record<string, number> = {}
    for (const [view, hash] of Object.entries(views)) {
      await page.evaluate((to) => {
        location.hash = to
      }, `#/${hash}`)
      await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
      await page.waitForFunction(() => !document.querySelector('main')?.textContent?.includes('Reading '))
      if (view === 'preview') {
        await page.getByRole('button', { name: 'Preview' }).click()
        await page.getByRole('region', { name: 'Preview' }).waitFor()
      }
      edges[view] = await leftEdge(page)
      await keepPicture(page, `${view}-${name}-${colorScheme}`)
      found.push(...(await findings(page)).map((finding) => `${view}: ${finding}`))
      const beyond = await pixelsBeyond(page)
      if (beyond > 0) {
        found.push(`${view}: ${beyond} pixels beyond the edge`)
      }
    }
    expect(found).toEqual([])
    expect(edges).toEqual(Object.fromEntries(Object.keys(views).map((view) => [view, edges.overview])))
  },
)

/** The left edge of the first heading that is shown. */
const leftEdge = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const headings = [...document.querySelectorAll('main :is(h1, h2)')].map((each) =>
      each.getBoundingClientRect(),
    )
    return headings.find(({ width }) => width > 1)?.left ?? -1
  })
