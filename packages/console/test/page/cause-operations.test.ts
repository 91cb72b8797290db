import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox, sqlite } from '../rig.js'
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
  await row.waitFor()
  await pane.getByText('Operations by other conditions are under').waitFor()
  expect(await pane.getByText('No changes of the cause itself.').count()).toBe(0)
  await row.getByRole('link', { name: 'in an operation' }).click()
  await page.getByText('Discarded: 2 of 2.').waitFor()
})

it('a cause names no other operations where the store has none', async () => {
  const inbox = await openInbox(async () => {
    const store = await sqlite()
    const { bulk: _, ...rest } = store.inbox as NonNullable<typeof store.inbox>
    return { ...store, inbox: rest }
  })
  await inbox.send('transfer.failed', {}, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/failures' })
  await cell(page, 'transfer.failed evt_dead failed').getByRole('link').click()
  const pane = page.getByRole('complementary', { name: 'Cause' })
  await pane.getByText('No changes of the cause itself.').waitFor()
  expect(await pane.getByText('Operations by other conditions').count()).toBe(0)
})
