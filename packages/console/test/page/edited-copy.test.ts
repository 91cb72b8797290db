import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
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
