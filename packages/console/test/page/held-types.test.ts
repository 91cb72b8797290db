import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { type Inbox, openInbox, sqliteFile } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

const audit = { reason: 'the bank is closed', actor: 'operator 2' }
const circuitWords =
  /^transfer\.failed does not run: it failed too often in a row\. One event runs as a trial in /

const handlers = {
  async 'transfer.failed'() {
    throw new Error('the bank is away')
  },
}
const breaker = { breaker: { failures: 2, retryAfterSeconds: 3600 } }

/** The circuit of `transfer.failed` is open. All its events have failed and are due. */
async function openStoppedInbox(): Promise<Inbox> {
  const inbox = await openInbox(undefined, handlers, { attempts: 9, firstPauseSeconds: 0.1 }, breaker)
  await inbox.send('transfer.failed', {}, 'evt_1')
  await inbox.send('transfer.failed', {}, 'evt_2')
  await expect.poll(async () => (await inbox.receiver.explain('evt_1')).reason).toBe('circuit_open')
  return inbox
}

it('says on the page of a cause that its type is stopped, and what to do', async () => {
  const inbox = await openStoppedInbox()
  const group = (await inbox.receiver.inspect('evt_1'))?.group as string
  const hash = `#/failures/${encodeURIComponent(group)}`
  const page = await openConsole(await mount(inbox), { hash })
  const pane = page.getByRole('complementary', { name: 'Cause' })
  await pane.getByText(circuitWords).waitFor()
  await pane.getByText('if the trial succeeds, the other events run', { exact: false }).waitFor()
  await inbox.receiver.pause({ type: 'payout.returned' }, audit)
  await inbox.receiver.pause({ type: 'transfer.failed' }, audit)
  await pane
    .getByText('transfer.failed is paused, and does not run until somebody resumes it.', { exact: true })
    .waitFor()
  expect(await pane.getByText('payout.returned is paused', { exact: false }).count()).toBe(0)
})

it('warns before a retry of one event that a circuit holds, and says when it runs', async () => {
  const inbox = await openStoppedInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_1' })
  await page.getByRole('button', { name: 'Retry now…' }).click()
  await page.getByRole('dialog').getByText(circuitWords).waitFor()
  await page.getByRole('dialog').getByRole('textbox').fill('the bank is back')
  await page.getByRole('button', { name: 'Retry now 1' }).click()
  await page
    .getByText('the event is due already. It runs as soon as nothing holds it.', { exact: false })
    .first()
    .waitFor()
})

it('warns before an operation over events that a circuit or a pause holds', async () => {
  const inbox = await openStoppedInbox()
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/operations/new?action=retryNow&type=transfer.*' })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('region', { name: 'Preview' }).getByText(circuitWords).waitFor()
  const { group = '' } = (await inbox.receiver.inspect('evt_1')) ?? {}
  const ofCause = await openConsole(url, {
    hash: `#/operations/new?action=retryNow&group=${encodeURIComponent(group)}`,
  })
  await inbox.receiver.pause({}, audit)
  await inbox.receiver.pause({ type: 'payout.returned' }, audit)
  await ofCause.getByRole('button', { name: 'Preview' }).click()
  await ofCause.getByText(circuitWords).waitFor()
  await ofCause.getByText('Everything of this endpoint is paused', { exact: false }).waitFor()
  expect(await ofCause.getByText('payout.returned is paused', { exact: false }).count()).toBe(0)
})

it('says after an operation why its events do not run', async () => {
  const { receiver, send, until } = await openInbox(undefined, handlers, undefined, breaker)
  await send('transfer.failed', {}, 'evt_1')
  await send('transfer.failed', {}, 'evt_2')
  await until(({ dead }) => dead === 2)
  const plan = await receiver.plan({ action: 'replay', where: { type: 'transfer.failed' } })
  const run = await receiver.run(plan, { ...audit, canary: 0 })
  await run.finished()
  const page = await openConsole(await mount({ receiver } as never), { hash: `#/operations/${run.id}` })
  await page.getByRole('cell', { name: '2 waiting' }).waitFor()
  await page.getByText('2 events wait. Why the first one does not run:').waitFor()
  await page.getByText(/^evt_1 .*one event runs as a trial in /).waitFor()
  await receiver.pause({}, audit)
  await page.getByText(/^evt_1 waits because operator 2 paused the endpoint/).waitFor()
  await page.getByRole('link', { name: 'Where it can be resumed' }).waitFor()
})

it('warns before the rest of an operation that a circuit would hold, and before an edited copy', async () => {
  const { store } = await sqliteFile()
  const first = await openInbox(async () => store, handlers, { attempts: 1 })
  for (let at = 1; at <= 4; at++) {
    await first.send('transfer.failed', {}, `evt_${at}`)
  }
  await first.until(({ dead }) => dead === 4)
  await first.receiver.stop()
  const inbox = await openInbox(async () => store, handlers, { attempts: 9, firstPauseSeconds: 600 }, breaker)
  const plan = await inbox.receiver.plan({ action: 'replay', where: { type: 'transfer.failed' } })
  const run = await inbox.receiver.run(plan, { ...audit, canary: 2 })
  await expect.poll(async () => (await run.progress()).state).toBe('stopped')
  await expect.poll(async () => (await inbox.receiver.openCircuits()).length).toBe(1)
  const page = await openConsole(await mount(inbox), { hash: `#/operations/${run.id}` })
  await page.getByRole('button', { name: 'Continue with the other' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(circuitWords).waitFor()
  await dialog.getByText('Those that failed are retried by themselves', { exact: false }).waitFor()
  await keepPicture(page, 'continue-held')
  await page.keyboard.press('Escape')
  await page.goto(`${page.url().replace(/#.*/, '')}#/events/evt_4`)
  await page.getByRole('button', { name: /^Edit and replay…/ }).click()
  await dialog.getByText(circuitWords).waitFor()
})
