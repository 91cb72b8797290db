import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { keepPicture, openPage, useBrowser } from 'webhook-inbox-ui/browser'
import { patience } from '../../page/src/request.js'
import { defaultLimits } from '../../src/limits.js'
import { limitedConsole, listen, openFilledInbox } from '../rig.js'
import { cell, openConsole } from './scene.js'

useBrowser('console')

const cause = 'The function authorize of this program does not respond.'
/** Of one request. It stays true when it responds again. */
const past = 'The function authorize of this program did not respond.'

it('names authorize while it does not respond, and each tab recovers by itself', async () => {
  const inbox = await openFilledInbox()
  let hangs = (_path: string): boolean => false
  const options = {
    authorize: ({ url = '' }: IncomingMessage) => (hangs(url) ? new Promise<boolean>(() => {}) : true),
    actor: () => 'operator',
    logger: { info() {}, warn() {}, error() {} },
  }
  const url = await listen(limitedConsole(inbox.receiver, options, { lookSeconds: 0.1 }))
  const page = await openConsole(url, { hash: '#/events' })
  const live = page.getByText('Live', { exact: true })
  await cell(page, 'transfer.settled').waitFor()
  await live.waitFor()
  hangs = () => true
  await inbox.send('account.closed', {}, 'evt_new')
  const banner = page.locator('.note', { hasText: cause })
  const said = page.locator('.note').first()
  await said.waitFor()
  // It says nothing else before.
  expect(await said.textContent()).toContain(cause)
  await banner.getByText('Everything below is as of').waitFor()
  await keepPicture(page, 'authorize-hangs')
  // Opened meanwhile: without the page, without its files, and without an answer to who looks.
  const withoutPage = await openPage(url, '/#/events')
  await withoutPage.getByText(past).waitFor()
  await keepPicture(withoutPage, 'authorize-hangs-no-page')
  hangs = (path) => path.endsWith('.js') || path.startsWith('/api/')
  const withoutFiles = await openPage(url, '/#/events')
  hangs = (path) => path.startsWith('/api/')
  const withoutRights = await openPage(url, '/#/events')
  await withoutRights.locator('header + div', { hasText: cause }).waitFor()
  expect(await withoutRights.getByText(cause).count()).toBe(1)
  await keepPicture(withoutRights, 'authorize-hangs-no-rights')
  expect(await banner.count()).toBe(1)
  hangs = () => false
  for (const tab of [page, withoutPage, withoutFiles, withoutRights]) {
    await cell(tab, 'account.closed').waitFor()
    await tab.getByText('Live', { exact: true }).waitFor()
    expect(await tab.getByText(/authorize of this program/).count()).toBe(0)
  }
})

it('a dialog says that nothing was changed while authorize hung, and when it responds again', async () => {
  const inbox = await openFilledInbox()
  let hangs = false
  const options = {
    authorize: () => (hangs ? new Promise<boolean>(() => {}) : true),
    actor: () => 'operator',
    logger: { info() {}, warn() {}, error() {} },
  }
  const limits = { lookSeconds: 0.1, heartbeatSeconds: 1 }
  const url = await listen(limitedConsole(inbox.receiver, options, limits))
  const page = await openConsole(url, { hash: '#/events/evt_dead' })
  const live = page.getByText('Live', { exact: true })
  await live.waitFor()
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('a test')
  hangs = true
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  const problem = dialog.getByRole('alert')
  await problem.getByText(`${past} Nothing was changed. You can try again.`, { exact: true }).waitFor()
  await live.waitFor({ state: 'detached' })
  hangs = false
  await problem.getByText(/You can try again\. The function authorize responds again\.$/).waitFor()
  await keepPicture(page, 'dialog-after-outage')
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await page.getByText('evt_dead runs again.').waitFor()
})

it('the page waits longer than the program takes for its coded answer', () => {
  expect((defaultLimits.askSeconds + defaultLimits.answerSeconds) * 1000).toBeLessThan(patience)
})
