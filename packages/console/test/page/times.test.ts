import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
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
