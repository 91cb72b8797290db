import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, openWaitingInbox } from '../rig.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('runs an edited copy, which names the event that it comes from', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events/evt_reshaped_1' })
  await page.getByRole('button', { name: 'Edit and replay…' }).click()
  const dialog = page.getByRole('dialog')
  const body = dialog.getByRole('textbox', { name: /^Body/ })
  const text = await body.inputValue()
  await dialog.getByRole('textbox', { name: /^Why/ }).fill('the sender renamed a field')
  expect(await dialog.getByRole('button', { name: 'Run the copy' }).isDisabled()).toBe(true)
  await body.fill('{ "half": ')
  await dialog.getByText(/^This is not JSON/).waitFor()
  await body.fill(text.replace('"status": "granted"', '"state": "granted"'))
  await dialog.getByRole('button', { name: 'Run the copy' }).click()
  const pane = page.getByRole('complementary', { name: 'Event' })
  await pane.getByRole('link', { name: 'evt_reshaped_1' }).first().waitFor()
  await pane.getByText('not signed by the sender').waitFor()
  await pane.getByText('It was done.').waitFor()
  await page.goto(page.url().replace(/#.*/, '#/audits'))
  await page.getByRole('cell', { name: /^replay edited \S+ from evt_reshaped_1$/ }).waitFor()
})

async function openEdit(inbox: Awaited<ReturnType<typeof openFilledInbox>>, id: string) {
  const page = await openConsole(await mount(inbox), { hash: `#/events/${id}` })
  await page.getByRole('button', { name: /^Edit and replay…/ }).click()
  const dialog = page.getByRole('dialog')
  const body = dialog.getByRole('textbox', { name: /^Body/ })
  await body.fill((await body.inputValue()).replace('"tr_1"', '"tr_2"'))
  await dialog.getByRole('textbox', { name: /^Why/ }).fill('a wrong id')
  return { page, dialog, run: dialog.getByRole('button', { name: 'Run the copy' }) }
}

it('asks twice before it edits an event that still runs by itself, and says afterwards that both run', async () => {
  const inbox = await openWaitingInbox()
  const { page, dialog, run } = await openEdit(inbox, 'evt_failed')
  await dialog.getByText('This event still runs by itself, and the copy runs as well.').waitFor()
  expect(await run.isDisabled()).toBe(true)
  await dialog.getByText('Confirm first that both run.').waitFor()
  await dialog.getByRole('checkbox', { name: 'I know that both run.' }).check()
  await run.click()
  await page.getByText('The event that it was copied from still runs by itself:').waitFor()
  await page.getByRole('link', { name: 'evt_failed' }).first().click()
  await page.getByText('This event still runs by itself: give it up if the copy replaces it.').waitFor()
})

it('does not edit an event of which another operator ran a copy meanwhile, and says so the next time', async () => {
  const inbox = await openFilledInbox()
  const { page, dialog, run } = await openEdit(inbox, 'evt_dead')
  expect(await dialog.getByRole('checkbox').count()).toBe(0)
  const text = new TextDecoder().decode((await inbox.receiver.inspect('evt_dead'))?.body)
  await inbox.receiver.replayEdited('evt_dead', { body: text }, { reason: 'known', actor: 'operator 2' })
  await run.click()
  await dialog.getByText('Since it was shown, the event changed or an edited copy of it was run.').waitFor()
  expect(await inbox.receiver.list({ root: 'evt_dead' })).toHaveLength(2)
  await dialog.getByRole('button', { name: 'Close and show it as it is now' }).click()
  await page.getByText('An edited copy was run:').waitFor()
  await page.getByRole('button', { name: /^Edit and replay…/ }).click()
  await dialog.getByText('An edited copy of this event was run before. This copy runs as well.').waitFor()
})

it('does not replay an event of which another operator ran an edited copy meanwhile', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^Why/ }).fill('the rail is back')
  const body = (await inbox.receiver.inspect('evt_dead'))?.body ?? ''
  await inbox.receiver.replayEdited('evt_dead', { body }, { reason: 'known', actor: 'operator 2' })
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await dialog.getByText('Since it was shown, the event changed or an edited copy of it was run.').waitFor()
  expect((await inbox.receiver.inspect('evt_dead'))?.generation).toBe(0)
  await dialog.getByRole('button', { name: 'Close and show it as it is now' }).click()
  await page.getByRole('button', { name: /^Replay…/ }).click()
  await dialog.getByText('An edited copy of it was run. This runs the original as well.').waitFor()
  expect(await dialog.getByRole('textbox', { name: /^Why/ }).inputValue()).toBe('the rail is back')
  const run = dialog.getByRole('button', { name: 'Replay 1' })
  expect(await run.isDisabled()).toBe(true)
  await dialog.getByRole('checkbox', { name: 'I know that both run.' }).check()
  await run.click()
  await expect.poll(async () => (await inbox.receiver.inspect('evt_dead'))?.generation).toBe(1)
})
