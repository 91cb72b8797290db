import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findings, keepPicture, pixelsBeyond, useBrowser } from 'webhook-inbox-ui/browser'
import { addSilentType, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

/** Long, and nothing in it lets a line break. */
const actor = 'operator-of-the-payments-team-in-the-second-office'
const audit = { reason: 'the ledger is down', actor }

async function openOn(width: number, hash: string): Promise<Page> {
  const inbox = await openBusyInbox()
  await inbox.receiver.pause({ type: 'payout.returned' }, audit)
  await inbox.receiver.discard('evt_refused_5', audit)
  return openConsole(await mount(inbox, { actor: () => `${actor}@example.com` }), {
    hash,
    viewport: { width, height: 844 },
  })
}

/** Of the element and its text, which can run out of it. */
const boxOf = (of: Locator) =>
  of.evaluate((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    const [box, text] = [element.getBoundingClientRect(), range.getBoundingClientRect()]
    return {
      left: Math.min(box.left, text.left),
      top: Math.min(box.top, text.top),
      right: Math.max(box.right, text.right),
      bottom: Math.max(box.bottom, text.bottom),
    }
  })

async function overlaps(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([boxOf(one), boxOf(other)])
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

it.each([[320], [360], [390], [414]])('keeps what it shows apart on a screen of %i pixels', async (width) => {
  const page = await openOn(width, '#/overview')
  const [environment, paused] = [page.locator('.who > .badge'), page.locator('.top > .paused')]
  await paused.waitFor()
  expect(await environment.textContent()).toBe('production')
  expect(await overlaps(environment, paused)).toBe(false)
  for (const badge of [environment, paused, page.locator('.top > .connection')]) {
    const { left, right } = await boxOf(badge)
    expect([left > 0, right < width]).toEqual([true, true])
  }
  const pauses = page.getByRole('region', { name: 'Pauses' })
  expect(await overlaps(pauses.locator('p').first(), pauses.getByRole('button'))).toBe(false)
})

/** How far the middles of the parts of the bar are apart, in pixels. */
async function linesOf(page: Page): Promise<number> {
  const middles = await page.locator('.top > :visible').evaluateAll((all) =>
    all.map((part) => {
      const { top, bottom } = part.getBoundingClientRect()
      return (top + bottom) / 2
    }),
  )
  expect(middles.length).toBeGreaterThan(4)
  return Math.max(...middles) - Math.min(...middles)
}

it.each(['operations', 'quarantine'])(
  'has one line above the %s of a phone, also while paused',
  async (view) => {
    const inbox = await openBusyInbox()
    await inbox.receiver.pause({}, audit)
    const page = await openConsole(await mount(inbox), {
      hash: `#/${view}`,
      viewport: { width: 360, height: 800 },
    })
    await page.locator('.top').getByTitle('Everything is paused').waitFor()
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
    expect(await linesOf(page)).toBeLessThan(8)
    expect(await page.locator('.who > .badge').textContent()).toBe('production')
    expect(await pixelsBeyond(page)).toBeLessThanOrEqual(0)
    expect(await findings(page)).toEqual([])
    await keepPicture(page, `phone-bar-${view}`)
    await page.route('**/api/stream*', (route) => route.abort())
    await page.reload()
    await page.locator('.connection[data-state="lost"]').waitFor()
    await page.locator('.top > .paused').waitFor()
    expect(await linesOf(page)).toBeLessThan(8)
  },
)

it('opens every page from a low bar, by touch and by keys', async () => {
  const page = await openOn(360, '#/events/evt_settled_3')
  const bar = page.locator('.top')
  await bar.locator('.paused').waitFor()
  expect((await bar.boundingBox())?.height).toBeLessThanOrEqual(64)
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const opener = (title: string) => page.getByRole('button', { name: `Page: ${title}` })
  expect(await pages.count()).toBe(0)
  await opener('Events').focus()
  await page.keyboard.press('Enter')
  expect(await pages.getByRole('link').count()).toBe(6)
  const name = pages.getByText(`You are ${actor}@example.com`)
  await name.waitFor()
  expect((await boxOf(name)).right).toBeLessThan(360)
  // It closes the menu, not the event.
  await page.keyboard.press('Escape')
  await pages.waitFor({ state: 'detached' })
  expect(page.url()).toContain('evt_settled_3')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await opener('Overview').click()
  await keepPicture(page, 'phone-pages')
  await pages.getByRole('link', { name: 'Operations' }).click()
  await opener('Operations').waitFor()
  expect(await pages.count()).toBe(0)
})

it.each([[320], [360], [414]])('keeps audits and their export apart at %i pixels', async (width) => {
  const page = await openOn(width, '#/audits')
  const row = page.locator('.audits tbody tr').first()
  await row.waitFor()
  expect(await overlaps(row.locator('.who-did'), row.locator('.when'))).toBe(false)
  await page.locator('[data-menu=export] > summary').click()
  const list = await page.locator('[data-menu=export] > .menu-list').boundingBox()
  expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(width)
  expect(list?.x).toBeGreaterThanOrEqual(0)
})

it.each([[320], [360], [414]])(
  'keeps the state of an operation and who began it apart at %i pixels',
  async (width) => {
    const inbox = await openBusyInbox()
    const [failure] = await inbox.receiver.failures({ limit: 1 })
    const plan = await inbox.receiver.plan({ action: 'discard', where: { group: failure?.group as string } })
    const run = await inbox.receiver.run(plan, { ...audit, canary: 0 })
    await run.finished()
    const page = await openConsole(await mount(inbox), {
      hash: '#/operations',
      viewport: { width, height: 844 },
    })
    const cells = page.getByRole('table', { name: 'Operations' }).locator('tbody tr').first().locator('td')
    await cells.first().waitFor()
    const [what, state, who, started] = await cells.all()
    if (!what || !state || !who || !started) {
      throw new Error('the operation has no four cells')
    }
    for (const [one, other] of [
      [what, state],
      [state, started],
      [state, who],
      [started, who],
    ] as const) {
      expect(await overlaps(one, other)).toBe(false)
    }
    for (const cell of [what, state, who, started]) {
      expect((await boxOf(cell)).right).toBeLessThan(width)
    }
    await keepPicture(page, `phone-operations-${width}`)
  },
)

it('shows the whole id of an event of the same resource', async () => {
  const page = await openOn(360, '#/events/evt_settled_3')
  const ids = page.getByRole('table', { name: 'Events of the same resource' }).getByRole('link')
  await ids.first().waitFor()
  for (const id of await ids.all()) {
    expect(await id.getAttribute('title')).toBe(await id.textContent())
    const isCut = await id.evaluate((link) => {
      const { scrollWidth = 0, clientWidth = 0 } = link.closest('td') ?? {}
      return scrollWidth > clientWidth
    })
    expect(isCut).toBe(false)
  }
})

it('shows the preview of an operation as a list', async () => {
  const page = await openOn(360, '#/operations/new?state=dead&action=replay')
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  const row = preview.getByRole('table').getByRole('row').first()
  // As wide as the screen, so that it has few lines.
  expect((await row.locator('td').last().boundingBox())?.width).toBeGreaterThan(280)
  expect((await row.boundingBox())?.height).toBeLessThan(160)
  const cause = preview.getByRole('listitem').first()
  const [link, all] = [await boxOf(cause.getByRole('link')), await boxOf(cause)]
  expect(Math.abs(link.bottom - all.bottom)).toBeLessThan(8)
  await preview.getByRole('button', { name: /^Replay/ }).scrollIntoViewIfNeeded()
  expect(await pixelsBeyond(page)).toBe(0)
  expect(await findings(page)).toEqual([])
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await row.scrollIntoViewIfNeeded()
    await keepPicture(page, `phone-preview-${colorScheme}`)
  }
})

it('has no link of less than 24 pixels on a phone', async () => {
  const page = await openOn(360, '#/overview')
  for (const view of [
    'overview',
    'failures',
    'events',
    'events/evt_settled_3',
    'operations',
    'operations/new',
    'audits',
  ]) {
    await page.evaluate((to) => {
      location.hash = to
    }, `#/${view}`)
    await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
    await page.waitForFunction(() => !document.querySelector('main')?.textContent?.includes('Reading '))
    const low = await page
      .locator('a:visible:not(.cover)')
      .evaluateAll((links) =>
        links
          .map((link) => [link.textContent, Math.round(link.getBoundingClientRect().height)] as const)
          .filter(([, height]) => height < 24),
      )
    expect([view, low]).toEqual([view, []])
  }
})

it('says on a phone what is wrong before it gives figures', async () => {
  const page = await openOn(390, '#/overview')
  const topOf = async (part: string) => (await page.locator(part).boundingBox())?.y ?? 0
  await page.getByRole('region', { name: 'What is wrong' }).getByRole('link').first().waitFor()
  const tops = [
    await topOf('main h1'),
    await topOf('section[aria-label="What is wrong"]'),
    await topOf('.weather'),
  ]
  expect(tops).toEqual(tops.toSorted((a, b) => a - b))
  const { height = 0 } = (await page.locator('.weather').boundingBox()) ?? {}
  const rows = await page
    .locator('.weather > div')
    .evaluateAll((all) => new Set(all.map((each) => (each as HTMLElement).offsetTop)).size)
  expect(height / rows).toBeGreaterThan(24)
  await keepPicture(page, 'overview-390')
})

it('breaks no line between a percentile and its unit', async () => {
  const page = await openOn(390, '#/overview')
  const words = await page.getByText(/^p95/).first().textContent()
  expect(words?.split(' ')).toEqual([expect.stringMatching(/^p95.+s,$/), expect.stringMatching(/^p99.+s$/)])
})

it.each([[320], [360], [414]])('shows sources and workers as lists at %i pixels', async (width) => {
  const inbox = await openBusyInbox()
  addSilentType(inbox.file, 'account.opened')
  const page = await openConsole(await mount(inbox), { viewport: { width, height: 844 } })
  for (const name of ['Sources', 'Workers']) {
    const table = page.getByRole('table', { name })
    await table.locator('tbody tr').first().waitFor()
    await table.scrollIntoViewIfNeeded()
    const hidden = await table.evaluate(
      ({ parentElement: at }) => (at?.scrollWidth ?? 0) - (at?.clientWidth ?? 0),
    )
    expect([name, hidden]).toEqual([name, 0])
    for (const row of await table.locator('tbody tr').all()) {
      const cells = await row.locator('td').all()
      for (const [at, one] of cells.entries()) {
        expect((await boxOf(one)).right).toBeLessThanOrEqual(width)
        for (const other of cells.slice(at + 1)) {
          expect(await overlaps(one, other)).toBe(false)
        }
      }
    }
  }
  const type = await boxOf(page.getByRole('link', { name: 'account.opened' }))
  expect(type.bottom - type.top).toBeLessThan(32)
  expect(await findings(page)).toEqual([])
  await keepPicture(page, `phone-sources-${width}`)
})
