import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { addSilentType, cell, mount, openBusyInbox, openConsole } from './scene.js'

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
    await page.getByRole('button', { name: 'Page: Events' }).click()
    expect(await pages.allInnerTexts()).toEqual([
      'Overview',
      'Failures',
      'Events',
      'Quarantine',
      'Operations',
      'Audits',
    ])
    const both = [...(await pages.all()), ...(await states.all())]
    for (const [at, each] of both.entries()) {
      if (at === 6) {
        await page.keyboard.press('Escape')
      }
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

it.each([[1440], [2560]])(
  'has lines short enough to read, in the middle of a screen of %i pixels',
  async (width) => {
    const inbox = await openBusyInbox()
    const { receiver } = inbox
    const reason = 'The ledger was down from 14:05 until 15:30, and each credit was rejected. '.repeat(4)
    const plan = await receiver.plan({ action: 'replay', where: { type: 'approval.updated' } })
    const run = await receiver.run(plan, { reason, actor: 'operator 2' })
    await run.finished()
    const page = await openConsole(await mount(inbox), { viewport: { width, height: 1000 } })
    for (const view of ['failures', 'operations', `operations/${run.id}`, 'operations/new?action=replay']) {
      await page.evaluate((to) => {
        location.hash = to
      }, `#/${view}`)
      if (view.includes('new')) {
        await page.getByRole('button', { name: 'Preview' }).click()
      }
      await page.locator('main table').waitFor()
      const content = page.locator('main > .inner > *, main .list-column > .list').last()
      const { x, width: wide } = (await content.boundingBox()) ?? { x: 0, width: 0 }
      const blank = { left: x, right: width - x - wide }
      expect([view, blank.right - blank.left]).toEqual([view, expect.toSatisfy((more) => more < 20)])
      expect([view, await charactersOfLines(page)]).toEqual([view, []])
      // A panel is not wider than the lines in it may be.
      const panels = await page
        .locator('.inner .note:visible')
        .evaluateAll((notes) => notes.map((note) => note.getBoundingClientRect().width))
      expect([view, panels.filter((wide) => wide > 680)]).toEqual([view, []])
      const [name = ''] = view.split('?')
      await keepPicture(page, `${name.replace(run.id, 'run').replace('/', '-')}-${width}`)
    }
    const row = cell(page, 'the ledger answered')
    await page.evaluate(() => {
      location.hash = '#/failures'
    })
    const [cause, count] = [row.locator('.cause p').first(), row.locator('.number strong')]
    await count.waitFor()
    const [of, number] = [await cause.boundingBox(), await count.boundingBox()]
    expect((number?.x ?? 0) - (of?.x ?? 0)).toBeLessThan(720)
  },
)

/** How many characters each paragraph has in a line, if these are too many. */
const charactersOfLines = (page: Page) =>
  page.locator('main :is(p, li, dd):visible').evaluateAll((all) =>
    all
      .map((each) => {
        const range = document.createRange()
        range.selectNodeContents(each)
        const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8)))
        return [each.textContent, each.textContent.length / lines.size] as const
      })
      .filter(([, length]) => length > 90),
  )

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

it('leaves no hole between the cards of the overview', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    viewport: { width: 1440, height: 900 },
  })
  const cards = page.locator('.cards .card')
  await cards.nth(3).waitFor()
  await page.getByRole('table', { name: 'Failures by cause' }).waitFor()
  const boxes = await cards.evaluateAll((all) =>
    all.map((card) => {
      const { left, top, bottom } = card.getBoundingClientRect()
      return { left, top, bottom }
    }),
  )
  const columns = [...new Set(boxes.map(({ left }) => left))].map((x) =>
    boxes.filter(({ left }) => left === x),
  )
  expect(columns.length).toBe(2)
  for (const column of columns) {
    const holes = column.slice(1).map(({ top }, at) => top - (column[at]?.bottom ?? 0))
    expect(holes.filter((hole) => hole > 20)).toEqual([])
  }
  const [left, right] = columns.map((column) => column.at(-1)?.bottom ?? 0) as [number, number]
  expect(Math.abs(left - right)).toBeLessThan(160)
})

it('breaks the outcome of an operation between its sentences', async () => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const plan = await receiver.plan({ action: 'replay', where: { type: 'transfer.settled' } })
  const run = await receiver.run(plan, { reason: 'a test', actor: 'Anna', canary: 2 })
  await run.finished()
  const page = await openConsole(await mount(inbox), {
    hash: `#/operations/${run.id}`,
    viewport: { width: 600, height: 900 },
  })
  const failed = page.getByText(/^Its canary failed:/)
  await failed.waitFor()
  for (const width of [360, 600]) {
    await page.setViewportSize({ width, height: 900 })
    const sentences = page.locator('main .note .part')
    expect(await sentences.allTextContents()).toEqual([
      'Failed again: 2.',
      'Set to run again: 2 of 12.',
      'Not handled: 10.',
    ])
    for (const sentence of await sentences.all()) {
      expect((await sentence.boundingBox())?.height).toBeLessThan(32)
    }
  }
  await keepPicture(page, 'outcome-600')
})

it('shows a whole type beside an open event, 1280 pixels wide', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    hash: '#/events/evt_refused_9',
    viewport: { width: 1280, height: 800 },
  })
  const type = cell(page, 'evt_refused_9').locator('.type')
  await type.waitFor()
  expect(await type.textContent()).toBe('transfer.settled')
  expect(await type.evaluate((each) => each.scrollWidth <= each.clientWidth)).toBe(true)
})

it('keeps the figures of a source with a long type inside its card', async () => {
  const inbox = await openBusyInbox()
  addSilentType(inbox.file, 'card.authorization.reversal.requested.v2')
  const page = await openConsole(await mount(inbox), { viewport: { width: 1280, height: 800 } })
  const card = page.getByRole('region', { name: 'Sources', exact: true })
  await card.getByRole('link', { name: /^card/ }).waitFor()
  const right = async (what: Locator) => {
    const box = await what.boundingBox()
    return (box?.x ?? 0) + (box?.width ?? 0)
  }
  expect(await right(card.getByRole('table'))).toBeLessThanOrEqual(await right(card))
})
