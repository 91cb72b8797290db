import { expect, test } from 'vitest'
import { shapeB } from '../rig.js'
import { keepPicture, openInspector, useBrowser } from './browser.js'
import { startScene } from './scene.js'

useBrowser()

test('deliveries arrive live, newest first, with the verdict of the receiver', async () => {
  const scene = await startScene()
  const page = await openInspector(scene.url)
  await page.getByText('No delivery yet').waitFor()
  await scene.post('/v1/transfers', shapeB())
  const rows = page.locator('.list tbody tr')
  await expect
    .poll(() => rows.allTextContents())
    .toEqual([
      expect.stringMatching(/Processedledger\.matched.*200 \d+ ms/),
      expect.stringMatching(/Processedtransfer\.settled.*200 \d+ ms/),
    ])
  await keepPicture(page, 'first')
  await rows.nth(1).getByRole('link').click()
  await page.getByRole('complementary').getByText('transfer.settled').waitFor()
  await keepPicture(page, 'first-open')
})
