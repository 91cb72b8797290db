import { expect, test } from 'vitest'
import { keepPicture, openInspector, useBrowser } from './browser.js'
import { startScene } from './scene.js'

useBrowser()

test('a delivery shows its life, its tries and the words of the receiver', async () => {
  let runs = 0
  const scene = await startScene({
    handlers: {
      'transfer.settled': () => {
        runs += 1
        if (runs === 1) {
          throw new Error('the database is away')
        }
      },
    },
  })
  const page = await openInspector(scene.url)
  await scene.emit('transfer.settled', { transferId: 'tr_1' })
  await scene.waitForDelivery({ outcome: 'processed' })
  await page.getByRole('link', { name: 'transfer.settled' }).click()
  const pane = page.getByRole('complementary')
  await pane.getByText('Your receiver ran the handler and answered 200. 1 earlier try failed.').waitFor()
  const life = pane.getByRole('list', { name: 'Its life' }).getByRole('listitem')
  await expect
    .poll(() => life.allTextContents())
    .toEqual([
      expect.stringMatching(/^Created/),
      expect.stringMatching(/^Failed 500try 1, \d+ ms/),
      expect.stringMatching(/^Processed 200try 2, \d+ ms/),
    ])
  await pane.getByText('The signature matches: the receiver accepts this delivery.').waitFor()
  await keepPicture(page, 'detail-signature')
  await pane.getByRole('tab', { name: 'Tries 2' }).click()
  await expect
    .poll(() => pane.getByRole('table', { name: 'Tries' }).getByRole('row').allTextContents())
    .toEqual([
      expect.anything(),
      expect.stringMatching(/1Failed.*500 handler_failed/),
      expect.stringMatching(/2Processed.*200/),
    ])
  await keepPicture(page, 'detail-tries')
})
