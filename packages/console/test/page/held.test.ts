import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

it('the overview names a type whose circuit is open, until it is closed', async () => {
  let isBroken = true
  const handlers = {
    async 'payout.returned'() {
      if (isBroken) {
        throw new Error('the bank is away')
      }
    },
  }
  const breaker = { breaker: { failures: 2, retryAfterSeconds: 3 } }
  const inbox = await openInbox(undefined, handlers, { attempts: 9, firstPauseSeconds: 0.1 }, breaker)
  const page = await openConsole(await mount(inbox))
  const circuits = page.getByRole('region', { name: 'Open circuits' })
  await page.getByRole('heading', { name: 'Nothing waits' }).waitFor()
  expect(await circuits.count()).toBe(0)
  await inbox.send('payout.returned', {}, 'evt_1')
  await inbox.send('payout.returned', {}, 'evt_2')
  await circuits.getByText(/payout\.returned does not run: it failed too often in a row\./).waitFor()
  isBroken = false
  await inbox.until(({ done }) => done === 2)
  await circuits.waitFor({ state: 'hidden' })
})

it('each page says that something is paused', async () => {
  const inbox = await openInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events' })
  await page.getByText('No event is stored yet.').waitFor()
  const badge = page.getByRole('banner').getByRole('link', { name: 'paused' })
  expect(await badge.count()).toBe(0)
  await inbox.receiver.pause({ type: 'transfer.failed' }, { reason: 'a release', actor: 'operator 2' })
  await badge.click()
  await page.getByText('Paused: transfer.failed by').waitFor()
})

it('says that events of an open circuit were due, and not that they are retried', async () => {
  const breaker = { breaker: { failures: 2, retryAfterSeconds: 3600 } }
  const inbox = await openInbox(undefined, {}, { attempts: 9, firstPauseSeconds: 0.1 }, breaker)
  await inbox.send('payout.returned', {}, 'evt_1')
  await inbox.send('payout.returned', {}, 'evt_2')
  await inbox.until(({ failed }) => failed === 2)
  await expect.poll(async () => (await inbox.receiver.openCircuits()).length).toBe(1)
  const page = await openConsole(await mount(inbox))
  await page.getByText('retried unless held', { exact: true }).waitFor()
  await page.getByRole('heading', { name: '2 failed (retried unless held)' }).waitFor()
  await page.goto(`${page.url().replace(/#.*/, '')}#/events/evt_1`)
  const held = /was due .+, held by the open circuit/
  await page.locator('dl.life').getByText(held).waitFor()
  await page.locator('td.remark').getByText(held).first().waitFor()
  expect(await page.locator('td.remark').first().getAttribute('title')).toMatch(/^was due \d{4}-\d\d-\d\d /)
})
