import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { keepPicture, rowsOf, useBrowser } from 'webhook-inbox-ui/browser'
import { createSandbox, type SandboxOptions } from '../../src/index.js'
import { openInspector } from './scene.js'

useBrowser('inspector')

const lost = 'The sandbox does not respond. Start it again; this page reconnects by itself.'

/** A sandbox in memory that can be started again on its port. */
async function startMortal(options: SandboxOptions = {}) {
  const { port } = await freePort()
  const start = async () => {
    const sandbox = await createSandbox({ port, retry: [3600], ...options })
    onTestFinished(() => sandbox.close())
    return sandbox
  }
  return { first: await start(), start }
}

async function freePort(): Promise<AddressInfo> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return address
}

const plots = (page: Page) => page.locator('.plots')

test('a lost sandbox is a banner, and everything else is gray and stands still until it is back', async () => {
  const { first, start } = await startMortal({ forwardTo: ['http://127.0.0.1:9/nobody'] })
  await first.emit('transfer.settled')
  await first.idle()
  const page = await openInspector(first.url)
  await expect.poll(() => rowsOf(page)).toEqual([expect.stringContaining('transfer.settled')])
  await plots(page).getByText('1 now, 1 at most').waitFor()
  expect(await page.locator('main').evaluate((main) => getComputedStyle(main).filter)).toBe('none')
  await first.close()
  await page.getByText(lost).waitFor()
  await page.getByText(/Everything below is as of \d\d:\d\d:\d\d\./).waitFor()
  expect(await page.locator('main').evaluate((main) => getComputedStyle(main).filter)).toBe('grayscale(1)')
  const atTheLoss = await plots(page).textContent()
  expect(atTheLoss).toMatch(/1 at \d\d:\d\d:\d\d, 1 at most/)
  await keepPicture(page, 'lost')
  await page.waitForTimeout(2500)
  expect(await plots(page).textContent()).toBe(atTheLoss)
  await start()
  await page.getByText(lost).waitFor({ state: 'detached' })
})

test('a page that was hidden when the sandbox was lost is as of then', async () => {
  const { first } = await startMortal({ forwardTo: ['http://127.0.0.1:9/nobody'] })
  await first.emit('transfer.settled')
  const page = await openInspector(first.url)
  await expect.poll(() => rowsOf(page)).toEqual([expect.stringContaining('transfer.settled')])
  const turn = (state: string) =>
    page.evaluate((visibilityState) => {
      Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
      return Date.now()
    }, state)
  const hiddenAt = await turn('hidden')
  await page.waitForTimeout(2500)
  await first.close()
  await turn('visible')
  await page.getByText(lost).waitFor()
  const asOf = await page.locator('.note time').getAttribute('datetime')
  expect(Date.parse(asOf ?? '')).toBeLessThanOrEqual(hiddenAt)
})

test('a page without deliveries does not say that a lost sandbox runs', async () => {
  const { first } = await startMortal()
  const page = await openInspector(first.url)
  await page.getByText('nobody to deliver to').waitFor()
  await first.close()
  await page.getByText(lost).waitFor()
  await page.getByText('nobody to deliver to').waitFor({ state: 'detached' })
})

test('after a restart in memory, a delivery that was open is gone with its buttons', async () => {
  const { first, start } = await startMortal({ forwardTo: ['http://127.0.0.1:9/nobody'] })
  const { id: eventId } = await first.emit('transfer.settled')
  const { id } = await first.waitForDelivery({ eventId })
  const page = await openInspector(first.url, { hash: `#/deliveries/${id}` })
  await page.getByText('The signature matches.').waitFor()
  await first.close()
  await page.getByText(lost).waitFor()
  await start()
  await page
    .getByText(`There is no delivery ${id}. A restart or a reset of the sandbox removes deliveries.`)
    .waitFor()
  expect(await page.getByText('Edit and send').count()).toBe(0)
  expect(await page.getByText('Its subscription was deleted').count()).toBe(0)
})
