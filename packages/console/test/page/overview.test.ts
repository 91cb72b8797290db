import type { Request } from 'playwright-core'
import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, openInbox, sqliteFile } from '../rig.js'
import { addDone, addSilentType, addVersions, cell, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('says first what is wrong, and leads there', async () => {
  const page = await openConsole(await mount(await openFilledInbox()))
  await page.getByRole('heading', { name: '1 dead, 1 quarantined' }).waitFor()
  await page.getByText('production').waitFor()
  await page.locator('dl.weather a[href="#/events?state=dead"]').click()
  await cell(page, 'transfer.failed').waitFor()
  expect(await page.locator('.list tbody tr').count()).toBe(1)
})

it('says that nothing stored has failed where nothing waits, and what to expect where nothing is kept', async () => {
  const page = await openConsole(await mount(await openInbox()))
  await page.getByText('Nothing stored has failed').waitFor()
  await page.getByText('No open cause.').waitFor()
  await page.getByText('0 events arrived.', { exact: true }).waitFor()
  expect(await page.title()).toBe('Overview - Inbox console')
  await page.getByRole('link', { name: 'Events' }).click()
  await page.getByText('No event is stored yet.').waitFor()
  await page.getByRole('link', { name: 'Quarantine' }).click()
  await page.getByText('Nothing is quarantined.').waitFor()
})

it('draws done and dead events on one scale', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  await page.locator('.arrivals rect.dead').first().waitFor({ state: 'attached' })
  const bars = await Promise.all(
    (await page.locator('.arrivals g').all()).map(async (bar) => {
      const words = (await bar.locator('title').textContent()) ?? ''
      const [arrived = 0, dead = 0, open = 0] = [...words.matchAll(/(\d+) (?:arrived|dead|open)/g)].map(
        ([, count]) => Number(count),
      )
      const height = async (part: string) =>
        Number(
          (await bar.locator(`rect.${part}`).all())[0] &&
            (await bar.locator(`rect.${part}`).getAttribute('height')),
        )
      return { done: arrived - dead - open, dead, up: await height('done'), down: await height('dead') }
    }),
  )
  const tallest = bars.toSorted((a, b) => b.done - a.done)[0]
  const deepest = bars.toSorted((a, b) => b.dead - a.dead)[0]
  const [up, down] = [
    Number(tallest?.up) / Number(tallest?.done),
    Number(deepest?.down) / Number(deepest?.dead),
  ]
  expect(down).toBeCloseTo(up, 6)
  expect(up).toBeGreaterThan(0)
})

it('draws the line to the interval that has not ended dotted', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  const plot = page.locator('.weather svg.spark').first()
  await plot.waitFor()
  const lines = await plot.locator('polyline').evaluateAll((all) =>
    all.map((line) => ({
      points: line.getAttribute('points')?.split(' ') ?? [],
      isDotted: getComputedStyle(line).strokeDasharray !== 'none',
    })),
  )
  expect(lines.map(({ isDotted }) => isDotted)).toEqual([false, true])
  const [ended = [], last = []] = lines.map(({ points }) => points)
  expect(ended.length).toBeGreaterThan(2)
  // It begins where the other one ends.
  expect(last).toEqual([ended.at(-1), expect.stringMatching(`^${ended.length},`)])
})

it('names a type that has gone silent, what silent means, and leads to its events', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  await inbox.send('transfer.settled', {}, 'evt_usual')
  await inbox.until(({ done }) => done === 1)
  addSilentType(file, 'statement.ready')
  const page = await openConsole(await mount(inbox))
  await page.getByRole('heading', { name: '1 type silent for 20 h' }).waitFor()
  const silent = page.locator('dl.weather div', { hasText: 'Sources' })
  await silent.getByText('1 silent', { exact: true }).waitFor()
  await silent.getByText('of 2 types').waitFor()
  const done = page.locator('dl.weather div', { hasText: 'of what arrived in this time' })
  await done.getByText('1 an hour', { exact: true }).waitFor()
  const sources = page.getByRole('region', { name: 'Sources' }).first()
  await sources.getByText('Silent: no event for an hour or more').waitFor()
  const words = await sources.locator('tbody tr').allInnerTexts()
  expect(
    words.map((row) =>
      row
        .split('\t')
        .slice(0, 2)
        .map((cell) => cell.trim()),
    ),
  ).toEqual([
    ['statement.ready', 'Silent'],
    ['The whole endpoint', 'As usual'],
    ['transfer.settled', 'As usual'],
  ])
  expect(words[0]).toMatch(/20 h/)
  await sources.getByRole('link', { name: 'statement.ready' }).click()
  await page.getByText('30 events, and no older ones.').waitFor()
})

it('calls no type usual while the endpoint is silent', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  const rare = Array.from({ length: 7 }, (_, at) => `rare.type_${at}`)
  for (const type of rare) {
    addSilentType(file, type, 5)
  }
  const page = await openConsole(await mount(inbox))
  await page.getByRole('heading', { name: 'endpoint silent for 20 h' }).waitFor()
  const sources = page.getByRole('region', { name: 'Sources' }).first()
  const states = sources.locator('tbody td:nth-child(2)')
  expect((await states.allInnerTexts()).map((text) => text.trim())).toEqual([
    'Silent',
    ...rare.slice(0, 5).map(() => 'Too rare to tell'),
  ])
  await sources.getByText('2 types more: too rare to tell.').waitFor()
  await sources.getByText('Too rare to tell: twenty or fewer').waitFor()
  expect(await sources.getByText(/usual/i).count()).toBe(0)
})

it('says that times are estimates, and calls no count that was cut off the most', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  addDone(file, 'ledger.matched', { count: 10_200, lastAt: Date.now() - 30_000, pause: 0 })
  const page = await openConsole(await mount(inbox))
  await page
    .getByText('10,000+ events arrived, 10,000+ in 1 min. Busy spans are not counted to their end.')
    .waitFor()
  await page.getByText('Times are estimated from up to 100 done events of each 1 min').waitFor()
  await page.getByText('A figure with + is a minimum.').waitFor()
})

it.each([
  ['24', 360],
  ['168', 360],
  ['168', 1280],
])('names the days of a window of %s hours, on %i pixels in one line', async (hours, width) => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  addVersions(file, [26 * 60])
  const viewport = { width, height: 900 }
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: `#/overview?hours=${hours}`, viewport })
  const scale = page.locator('.scale > span')
  await scale.first().waitFor()
  const words = await scale.allTextContents()
  expect(words).toEqual(Array(3).fill(expect.stringMatching(/^[A-Z][a-z]{2} \d\d \d\d:\d\d$/)))
  expect(new Set(words.map((each) => each.slice(0, -6))).size).toBeGreaterThan(1)
  expect(words.at(-1)?.slice(0, 6)).toBe(new Date().toDateString().slice(4, 10))
  const tops = await scale.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
  expect(new Set(tops).size).toBe(1)
  const marks = page.getByText(
    /version 3\.0\.0 started at [A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d\.$/,
  )
  expect(await marks.count()).toBe(hours === '168' ? 1 : 0)
  await keepPicture(page, `days-${hours}-${width}`)
})

it('shows the workers, and marks the start of their version', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  await page.getByRole('table', { name: 'Workers' }).getByText('0.1.0').waitFor()
  await page.getByText(/^The dashed mark: version 0\.1\.0 started at/).waitFor()
  expect(await page.locator('.spark .mark').count()).toBeGreaterThan(0)
})

it.each([[360], [1440]])('numbers the marks of several versions on %i pixels, in one line', async (width) => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  addVersions(file, [50, 30, 29.9, 27, 1])
  const page = await openConsole(await mount(inbox), { viewport: { width, height: 900 } })
  const words = page.getByText(/version .+ started at/).filter({ visible: true })
  await words.first().waitFor()
  // The receiver of the test has started last.
  expect(await words.allTextContents()).toEqual([
    expect.stringMatching(/^Dashed mark 6: version 0\.1\.0 started at/),
  ])
  await page.getByText('5 earlier starts').click()
  expect((await words.allTextContents()).map((each) => each.slice(0, 21))).toEqual([
    'Dashed mark 6: versio',
    ...[5, 4, 3, 2, 1].map((number) => `Mark ${number}: version 3.0.${number - 1}`),
  ])
  const numbers = page.locator('.mark-numbers text')
  expect(await numbers.allTextContents()).toEqual(['1', '2–4', '5–6'])
  const boxes = await numbers.evaluateAll((texts) =>
    texts.map((text) => text.getBoundingClientRect().toJSON()),
  )
  for (const [at, { left, right }] of boxes.entries()) {
    expect(left).toBeGreaterThan(boxes[at - 1]?.right ?? 0)
    expect(right).toBeLessThan(width)
  }
  // Two starts within six seconds have one line, here and in each small plot.
  for (const plot of [page.locator('svg.arrivals'), page.locator('svg.spark').first()]) {
    expect(await plot.locator('.mark').count()).toBe(5)
  }
})

it('reads each of its views once', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url)
  // The page that was opened first may still be sending its requests.
  await page.goto('about:blank')
  const asked: string[] = []
  const underWay = new Set<string>()
  const atOnce: string[] = []
  const pathOf = (request: Request) => new URL(request.url()).pathname.replace(/^.*\/api\//, '')
  page.on('request', (request) => {
    const path = pathOf(request)
    asked.push(path)
    if (underWay.has(path)) {
      atOnce.push(path)
    }
    underWay.add(path)
  })
  page.on('requestfinished', (request) => underWay.delete(pathOf(request)))
  page.on('requestfailed', (request) => underWay.delete(pathOf(request)))
  await page.goto(url)
  await page.getByText('What this receiver guarantees:').waitFor()
  await page.getByRole('table', { name: 'Workers' }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  expect(asked).toContain('flow/pauses')
  expect(asked.filter((path) => path === 'stream')).toHaveLength(1)
  // Each change of the inbox reads a view again, but two parts of the page never ask for the same view concurrently.
  expect(atOnce).toEqual([])
})
