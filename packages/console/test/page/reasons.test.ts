import Libsql from 'libsql'
import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox } from '../rig.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

const audit = { reason: 'known', actor: 'operator 2' }

it('keeps a typed reason for its dialog until it is used', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_dead' })
  const field = page.getByRole('dialog').getByRole('textbox')
  const open = (name: RegExp) => page.getByRole('button', { name }).click()
  await open(/^Replay…/)
  await field.fill('the rail is back')
  await page.keyboard.press('Escape')
  await open(/^Discard…/)
  expect(await field.inputValue()).toBe('')
  await page.keyboard.press('Escape')
  await open(/^Replay…/)
  expect(await field.inputValue()).toBe('the rail is back')
  await page.getByRole('button', { name: 'Replay 1' }).click()
  await page.getByText('evt_dead runs again.').waitFor()
  await inbox.until(({ dead }) => dead === 1)
  await open(/^Replay…/)
  expect(await field.inputValue()).toBe('')
})

it('takes no invisible reason', async () => {
  const page = await openConsole(await mount(await openFilledInbox()), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(' \u200b\u00ad\u2060')
  expect(await dialog.getByRole('button', { name: 'Replay 1' }).isDisabled()).toBe(true)
  await dialog.getByText('Write the reason first.').waitFor()
})

it('keeps an edited body', async () => {
  const page = await openConsole(await mount(await openFilledInbox()), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Edit and replay…/ }).click()
  const body = page.getByRole('dialog').getByRole('textbox', { name: 'Body' })
  await page.getByText('Change the body first.').waitFor()
  await body.fill('{"a":')
  await page.getByText('Correct the body first.').waitFor()
  await body.fill('{"a":1}')
  await page.getByText('Write the reason first.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Edit and replay…/ }).click()
  await body.waitFor()
  expect(await body.inputValue()).toBe('{"a":1}')
})

it('offers the next step where a change can only fail again', async () => {
  const { receiver } = await openFilledInbox()
  const page = await openConsole(await mount({ receiver } as never), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('the rail is back')
  await receiver.replay('evt_dead', audit)
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await dialog
    .getByRole('alert')
    .getByText('Since it was shown, the event changed or an edited copy of it was run.')
    .waitFor()
  expect(await dialog.getByRole('button', { name: 'Replay 1' }).count()).toBe(0)
  const next = dialog.getByRole('button', { name: 'Close and show it as it is now' })
  expect(await next.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
})

it('offers a new preview where the plan is not kept any more', async () => {
  const inbox = await openBusyInbox()
  const hash = '#/operations/new?state=dead&action=discard'
  const page = await openConsole(await mount(inbox), { hash })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('textbox').fill('a test')
  const database = new Libsql(inbox.file)
  database.exec('DELETE FROM webhook_inbox_plans')
  database.close()
  await page.getByRole('button', { name: 'Discard 14 events' }).click()
  await page.getByRole('alert').getByText('This preview is not kept any more.').waitFor()
  expect(await page.getByRole('button', { name: 'Discard 14 events' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Make a new preview' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Discard 14 events' }).waitFor()
  expect(await page.getByRole('textbox').inputValue()).toBe('a test')
})

it('says why a button is disabled', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { hash: '#/operations/new?state=dead&action=replay' })
  await page.getByRole('button', { name: 'Preview' }).click()
  const button = page.getByRole('button', { name: 'Replay 14 events' })
  await page.getByText('Write the reason first.').waitFor()
  await page.getByRole('textbox').fill('a test')
  expect(await button.isEnabled()).toBe(true)
  for (const [field, value, words] of [
    ['At most per second', '0', 'Write a number above 0, at most 1,000,000.'],
    ['First, as a canary', '-1', 'Write a whole number, 0 or more.'],
    ['First, as a canary', '1.5', 'Write a whole number, 0 or more.'],
  ] as const) {
    const input = page.getByRole('spinbutton', { name: field })
    const before = await input.inputValue()
    await input.fill(value)
    await page.getByText(words).waitFor()
    await page.getByText('Correct the number above first.').waitFor()
    expect(await button.isDisabled()).toBe(true)
    await input.fill(before)
    expect(await button.isEnabled()).toBe(true)
  }
  const events = await openConsole(url, { hash: '#/events' })
  await events.getByText('Views', { exact: true }).click()
  await events.getByRole('button', { name: 'Save or remove…' }).click()
  await events.getByRole('textbox', { name: 'A name for this view' }).fill('')
  await events.getByText('Write a name first.').waitFor()
})
