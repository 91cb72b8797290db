import { it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { cell, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('a cause lists the operations on it, and says where the others are', async () => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const page = await openConsole(await mount(inbox), { hash: '#/failures' })
  await cell(page, 'TypeError').getByRole('link').click()
  const pane = page.getByRole('complementary', { name: 'Cause' })
  await pane.getByText('No changes of the cause itself. Operations by other conditions are under').waitFor()
  const { group = '' } = (await receiver.inspect('evt_reshaped_1')) ?? {}
  const plan = await receiver.plan({ action: 'discard', where: { group } })
  const run = await receiver.run(plan, { reason: 'test data', actor: 'operator 2' })
  await run.finished()
  const row = pane.getByRole('row', { name: /operator 2 discard 2 events .* test data/ })
  await row.getByRole('link', { name: 'in an operation' }).click()
  await page.getByText('Discarded: 2 of 2.').waitFor()
})
