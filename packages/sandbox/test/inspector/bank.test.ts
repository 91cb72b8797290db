import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { shapeB } from '../rig.js'
import { openInspector, startScene } from './scene.js'

useBrowser('inspector')

const rows = (page: Page, table: string) =>
  page.getByRole('table', { name: table }).first().locator('tbody tr').allTextContents()

test('the bank shows wallets, the sum, transfers with their journal, and subscriptions', async () => {
  const scene = await startScene()
  await scene.post('/v1/transfers', shapeB('sim_settle'))
  await scene.post('/v1/transfers', shapeB('sim_stuck', { amount: 500 }))
  await scene.waitForDelivery({ type: 'ledger.matched' })
  const page = await openInspector(scene.url, { hash: '#/bank' })
  await page.getByText(/\d+ KES journal lines add up to 0\.00/).waitFor()
  await page.getByText(/\d+ USD journal lines add up to 0\.00/).waitFor()
  await expect.poll(() => rows(page, 'Wallets')).toContainEqual('wallet_kes_adacus_ada999,489.50 KES500.00')
  await expect
    .poll(() => rows(page, 'Transfers'))
    .toEqual([
      expect.stringMatching(/^Pendingsim_stuckwallet_kes_ada → wallet_kes_ben500\.00 KES/),
      expect.stringMatching(/^Settledsim_settlewallet_kes_ada → wallet_kes_ben10\.50 KES/),
    ])
  await page.getByText('No lines: only a settled transfer writes them.').waitFor()
  await page.getByRole('link', { name: 'Settled' }).click()
  await expect
    .poll(async () => (await rows(page, 'Journal lines')).toSorted())
    .toEqual(['Sum0.00', 'wallet_kes_ada-10.50 KES', 'wallet_kes_ben+10.50 KES'])
  await expect
    .poll(() => rows(page, 'Subscriptions'))
    .toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+\/webhooks\*camelCaseOn/)])
})

test.each([360, 768, 1280, 1440])('no table of the bank is cut off at a width of %i', async (width) => {
  const scene = await startScene()
  await scene.post('/v1/transfers', shapeB('sim_exception'))
  await scene.waitForDelivery({ type: 'transfer.settled' })
  const page = await openInspector(scene.url, { hash: '#/bank', viewport: { width, height: 900 } })
  await page.getByRole('link', { name: 'Settled, exception' }).waitFor()
  await page.getByText('POST /v1/transfers').waitFor()
  for (const table of await page.locator('.card > .scrolls').all()) {
    expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  }
})

test('a journal that cannot be read does not look empty', async () => {
  const scene = await startScene()
  await scene.post('/v1/transfers', shapeB('sim_settle'))
  await scene.post('/v1/transfers', shapeB('sim_stuck'))
  await scene.waitForDelivery({ type: 'ledger.matched' })
  const page = await openInspector(scene.url, { hash: '#/bank' })
  await page.getByText('No lines: only a settled transfer writes them.').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Settled' }).click()
  await page.getByText('The journal cannot be read. The sandbox does not respond.').waitFor()
})

test('an answer that comes late does not replace a newer one', async () => {
  const scene = await startScene()
  const page = await openInspector(scene.url, { hash: '#/bank' })
  await page.getByText('journal lines add up to').first().waitFor()
  let letGo = async () => {}
  const isHeld = new Promise<void>((resolve) => {
    void page.route(
      '**/v1/transfers?limit=100',
      async (route) => {
        const response = await route.fetch()
        letGo = () => route.fulfill({ response })
        resolve()
      },
      { times: 1 },
    )
  })
  await scene.post('/v1/transfers', shapeB('sim_stuck', { amount: 100 }))
  await isHeld
  await scene.post('/v1/transfers', shapeB('sim_stuck', { amount: 200 }))
  await expect.poll(() => rows(page, 'Transfers')).toHaveLength(2)
  await letGo()
  await page.waitForTimeout(200)
  expect(await rows(page, 'Transfers')).toHaveLength(2)
})

test('API requests mark a replay of an Idempotency-Key, and leave the reads of the page out', async () => {
  const scene = await startScene()
  const headers = { 'Idempotency-Key': 'k1' }
  await scene.post('/v1/transfers', shapeB(), headers)
  await scene.post('/v1/transfers', shapeB(), headers)
  await scene.post('/v1/transfers', shapeB('sim_stuck'), headers)
  const page = await openInspector(scene.url, { hash: '#/bank' })
  await expect
    .poll(() => rows(page, 'API requests'))
    .toEqual([
      expect.stringMatching(/POST \/v1\/transfers422.*idempotency_key_reused/),
      expect.stringMatching(/POST \/v1\/transfers201.*Idempotency replay/),
      expect.stringMatching(/POST \/v1\/transfers201.*sim_settle/),
    ])
  // The page marks hidden characters of senders, and writes none itself.
  expect(await page.locator('.hidden-character').count()).toBe(0)
  await page.reload()
  await expect.poll(() => rows(page, 'API requests')).toHaveLength(3)
  expect((await scene.get('/_sandbox/requests')).body.data).toHaveLength(3)
})

test('a receiver is added from the first page, and a wrong address is rejected', async () => {
  const scene = await startScene({ forwardTo: [] })
  const page = await openInspector(scene.url)
  await page.getByText('nobody to deliver to').waitFor()
  await keepPicture(page, 'first-run')
  const address = page.getByRole('textbox', { name: 'Address of your receiver' })
  await address.fill('http://192.0.2.1/hooks')
  await page.getByRole('button', { name: 'Deliver here' }).click()
  await page.getByRole('alert').getByText(/url/).waitFor()
  await address.fill(scene.receiverUrl)
  await page.getByRole('button', { name: 'Deliver here' }).click()
  await page.getByText('Start your receiver with the secret').waitFor()
  await page.getByRole('link', { name: 'Bank', exact: true }).first().click()
  await expect.poll(() => rows(page, 'Subscriptions')).toHaveLength(1)
})
