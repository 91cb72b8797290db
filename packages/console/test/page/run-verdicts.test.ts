import { it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openReplayed } from '../replayed.js'
import { outcome } from './operate.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('says the same of a large run in the list and on its own page', async () => {
  const page = await openConsole(await mount(await openReplayed([2095, 12_000])), { hash: '#/operations' })
  for (const [name, said] of [
    [
      'Replay 2,095',
      // The larger one took the same events later.
      'Failed again: 209. Done: 1,886. Changed again since: 2,095. Set to run again: 2,095 of 2,095.',
    ],
    [
      'Replay 12,000',
      'Failed again: at least 1,000. Done: at least 9,000. Set to run again: 12,000 of 12,000.',
    ],
  ] as const) {
    const row = page.getByRole('row', { name: new RegExp(`^${name}`) })
    await row.getByText('Ended with failures', { exact: true }).waitFor()
    await row.getByText(said, { exact: true }).waitFor()
    await row.getByRole('link', { name }).click()
    // Until then the list shows the same texts.
    await row.waitFor({ state: 'detached' })
    await outcome(page, said).waitFor()
    await page.getByText('Ended with failures', { exact: true }).waitFor()
    // The row of the changed events does not look like a success.
    await page.locator('[data-outcome="failed"]', { hasText: 'Set to run again' }).last().waitFor()
    await page.goBack()
  }
})

it('shows no sign of the quarantine beside an operation that skipped an event', async () => {
  const inbox = await openBusyInbox()
  const plan = await inbox.receiver.plan({ action: 'discard', where: { type: 'approval.updated' } })
  await inbox.receiver.discard('evt_reshaped_1', { reason: 'a test', actor: 'operator 2' })
  await (await inbox.receiver.run(plan, { reason: 'a test', actor: 'operator' })).finished()
  const page = await openConsole(await mount(inbox), { hash: '#/operations' })
  const row = page.getByRole('row', { name: /^Discard 2/ })
  await row.getByText('Discarded: 1 of 2. Skipped: 1.').waitFor()
  await row.locator('[data-outcome="duplicate"]', { hasText: 'Ended' }).waitFor()
})
