import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { confirm } from './operate.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

const ann = { reason: 'bank is down', actor: 'Ann' }
const cid = { reason: 'a wrong amount', actor: 'Cid' }

it('resumes only the pause that the dialog states', async () => {
  const inbox = await openInbox()
  const { receiver } = inbox
  const type = 'transfer.failed'
  await receiver.pause({ type }, ann)
  const page = await openConsole(await mount(inbox))
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Resume…' }).click()
  await dialog.getByText(/^Paused by Ann, .+: bank is down$/).waitFor()
  await receiver.resume({ type }, ann)
  await receiver.pause({ type }, cid)
  await dialog.getByRole('textbox').fill('the bank is back')
  await dialog.getByRole('button', { name: `Resume ${type}` }).click()
  await dialog.getByText(/It was paused at .+ by Cid: a wrong amount\. Nothing was changed\.$/).waitFor()
  await keepPicture(page, 'resume-of-another-pause')
  expect(await receiver.paused()).toMatchObject([{ type, ...cid }])
  await dialog.getByRole('button', { name: 'Close and show it as it is now' }).click()
  await page.getByText(/^Paused: transfer\.failed by Cid, .+: a wrong amount$/).waitFor()
  await page.getByRole('button', { name: 'Resume…' }).click()
  await dialog.getByText(/^Paused by Cid, .+: a wrong amount$/).waitFor()
  await dialog.getByRole('button', { name: `Resume ${type}` }).click()
  await page.getByText('Paused: transfer.failed').waitFor({ state: 'detached' })
  expect(await receiver.paused()).toEqual([])
})

it('undoes only the discard that the page shows', async () => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const id = 'evt_reshaped_1'
  const page = await openConsole(await mount(inbox), { hash: `#/events/${id}` })
  await confirm(page, 'Discard…', 'Discard 1')
  await page.getByText(/^Discarded .* by operator\./).waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Failures' }).click()
  const bar = page.getByRole('complementary', { name: 'Undo' })
  await bar.getByRole('button', { name: 'Undo…' }).click()
  await receiver.undo(id, cid)
  await receiver.discard(id, cid)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('it was no test')
  await dialog.getByRole('button', { name: 'Restore it' }).click()
  await dialog
    .getByText(/It was discarded again at .+ by Cid: a wrong amount\. Nothing was changed\.$/)
    .waitFor()
  await keepPicture(page, 'undo-of-another-discard')
  expect(await receiver.inspect(id)).toBeUndefined()
  await dialog.getByRole('button', { name: 'Close and show it as it is now' }).click()
  await bar.waitFor({ state: 'detached' })
  await page.evaluate((hash) => {
    location.hash = hash
  }, `#/events/${id}`)
  await page.getByText(/^Discarded .* by Cid\./).waitFor()
  await confirm(page, 'Undo…', 'Restore it')
  await page.getByRole('complementary', { name: 'Event' }).getByText('Dead').waitFor()
})
