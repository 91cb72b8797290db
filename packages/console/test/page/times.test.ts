import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { duration, relativeTime } from '../../../ui/src/duration.js'
import { openFilledInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

/** The time in Nairobi, which has no summer time. */
const inNairobi = (at: string) =>
  `${new Date(Date.parse(at) + 3 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')} GMT+3`

it('names the zone of each exact time in a title', async () => {
  const inbox = await openFilledInbox()
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/events/evt_dead', timezoneId: 'Africa/Nairobi' })
  const { receivedAt = '' } = (await inbox.receiver.inspect('evt_dead')) ?? {}
  const received = page
    .getByRole('definition')
    .filter({ has: page.locator(`time[datetime="${receivedAt}"]`) })
  await received.first().waitFor()
  const titles = await received
    .last()
    .locator('time')
    .evaluateAll((all) => all.map((each) => each.getAttribute('title')))
  expect(titles).toEqual([inNairobi(receivedAt), expect.stringContaining(`${inNairobi(receivedAt)}, `)])
  const all = await page.locator('time').evaluateAll((each) => each.map((time) => time.getAttribute('title')))
  expect(all.filter((title) => !title?.includes(' GMT+3'))).toEqual([])
  await page.goto(`${url}/#/overview`)
  const bar = page.locator('.arrivals title').last()
  await bar.waitFor({ state: 'attached' })
  expect(await bar.textContent()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT\+3: /)
})

it.each([
  [0.4, '0 ms'],
  [340, '340 ms'],
  [1200, '1.2 s'],
  [9970, '10 s'],
  [1_169_000, '19 min'],
  [9_000_000, '2.5 h'],
  [90_000_000, '1 d'],
])('%d milliseconds are written as %s everywhere', (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words)
})

it('writes an age in whole seconds', () => {
  expect([relativeTime(0, 3400), relativeTime(3400, 0), relativeTime(0, 90_000)]).toEqual([
    ...['3 s ago', 'in 3 s', '1.5 min ago'],
  ])
})
