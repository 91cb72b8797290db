import { expect, it, onTestFinished } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { cell, mount, openConsole } from './scene.js'

useBrowser('console')

const audit = { reason: 'the bank is closed', actor: 'Anna' }

it('says in the list which event runs, and what holds the others back', async () => {
  let end = () => {}
  const handlers = {
    'payout.returned': () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  }
  const resource = ({ data }: { data: { owner?: string } }) => data.owner
  const inbox = await openInbox(undefined, handlers, { attempts: 1 }, { resource })
  onTestFinished(() => end())
  await inbox.receiver.pause({ type: 'transfer.settled' }, audit)
  await inbox.send('payout.returned', { owner: 'ada' }, 'evt_running')
  await expect.poll(async () => (await inbox.receiver.explain('evt_running')).reason).toBe('running')
  await inbox.send('payout.returned', { owner: 'ada' }, 'evt_after')
  await inbox.send('transfer.settled', {}, 'evt_paused')
  const page = await openConsole(await mount(inbox), { hash: '#/events' })
  await cell(page, 'evt_running').getByText('Running', { exact: true }).waitFor()
  await cell(page, 'evt_after').getByText('held by an earlier event of its resource').waitFor()
  await cell(page, 'evt_paused').getByText('held by a pause').waitFor()
  expect(await cell(page, 'evt_after').locator('.verdict').textContent()).toBe('Accepted')
  await keepPicture(page, 'row-notes')
  await cell(page, 'evt_running').getByRole('link').click()
  await page.locator('.pane .pill').getByText('Running', { exact: true }).waitFor()
})

it('says in the list which dead events a person gave up', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.failed', {}, 'evt_failed')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.receiver.pause({}, audit)
  await inbox.send('payout.returned', {}, 'evt_given_up')
  const plan = await inbox.receiver.plan({ action: 'giveUp' })
  await (await inbox.receiver.run(plan, { ...audit, canary: 0 })).finished()
  const page = await openConsole(await mount(inbox), { hash: '#/events?state=dead' })
  await cell(page, 'evt_given_up').getByText('given up: the bank is closed', { exact: true }).waitFor()
  expect(await cell(page, 'evt_failed').locator('.remark').textContent()).toMatch(/^handler_failed: /)
})
