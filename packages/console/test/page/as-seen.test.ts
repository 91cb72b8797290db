import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

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
