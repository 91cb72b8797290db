import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox } from '../rig.js'
import { cell, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('shows an event, replays it with a reason, and says who did it', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events?state=dead' })
  await cell(page, 'transfer.failed').getByRole('link').click()
  const pane = page.getByRole('complementary')
  await pane.getByText('transfer.failed evt_dead failed').first().waitFor()
  await pane.getByText('"transferId": "tr_1"').waitFor()
  await pane.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('button', { name: 'Replay 1' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('the rail is back')
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await pane.getByRole('cell', { name: 'the rail is back' }).waitFor()
  await pane.getByRole('cell', { name: 'operator' }).waitFor()
  await pane.getByText('once', { exact: true }).first().waitFor()
  expect(await inbox.receiver.audits()).toMatchObject([{ action: 'replay', actor: 'operator' }])
})

it('leads from an event to the others of its resource, and to all of its cause', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events/evt_refused_0' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  const others = pane.getByRole('table', { name: 'Events of the same resource' })
  await others.getByText('transfer.settled, shown here').waitFor()
  await pane.getByRole('link', { name: 'All of this cause' }).click()
  await page.getByRole('complementary', { name: 'Cause' }).getByText('12 dead', { exact: true }).waitFor()
  await page.goBack()
  await others.getByRole('link', { name: 'evt_matched_0' }).click()
  await pane.getByRole('heading', { name: 'evt_matched_0' }).waitFor()
})

it('copies an event as a command that a test receiver takes, with fields redacted', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events/evt_settled_1' })
  await page.getByRole('button', { name: /^Copy as…/ }).click()
  const dialog = page.getByRole('dialog')
  const code = dialog.getByRole('region', { name: 'What is copied' })
  await dialog.getByRole('textbox').fill('data.amount')
  await dialog.getByRole('button', { name: 'Redact' }).click()
  await code.getByText('"amount":"•••"').waitFor()
  await code.getByText('Service-Signature: t=').waitFor()
  await dialog.getByRole('radio', { name: 'A vitest test' }).check()
  await code.getByText("from 'vitest'").waitFor()
  await dialog.getByRole('radio', { name: 'A fixture for the sandbox' }).check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toContain('evt_settled_1')
})
