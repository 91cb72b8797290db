import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { type Inbox, openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

const ofTransfer = { resource: ({ data }: { data: { transferId: string } }) => data.transferId }

/** A dead event, and how many later ones of its resource are done. */
async function openWithLater(count: number): Promise<Inbox> {
  const inbox = await openInbox(undefined, {}, { attempts: 1 }, ofTransfer)
  await inbox.send('transfer.settled', { transferId: 'tr_1' }, 'evt_earlier')
  await inbox.until(({ done }) => done === 1)
  await inbox.send('transfer.failed', { transferId: 'tr_1' }, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  for (let at = 0; at < count; at++) {
    await inbox.send('transfer.settled', { transferId: 'tr_1' }, `evt_later_${at}`)
  }
  await inbox.send('transfer.settled', { transferId: 'tr_2' }, 'evt_other')
  await inbox.until(({ done }) => done === count + 2)
  return inbox
}

it.each([
  [0, 'nothing of an order'],
  [1, 'A later event of the same resource is done. This event runs after that one, out of order.'],
  [12, 'Ten or more later events of the same resource are done. This event runs after those, out of order.'],
])('with %i later events done, the dialog of a replay says: %s', async (count, words) => {
  const page = await openConsole(await mount(await openWithLater(count)), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('the rail is back')
  expect(await dialog.getByText('out of order').count()).toBe(count > 0 ? 1 : 0)
  if (count > 0) {
    await dialog.getByText(words).waitFor()
  }
  // The keyboard alone sends it.
  await dialog.getByRole('textbox').press('Control+Enter')
  await page.getByText('evt_dead runs again.').waitFor()
})

it.each(['evt_dead', 'evt_earlier'])('the dialog to edit %s says that a later event is done', async (id) => {
  const page = await openConsole(await mount(await openWithLater(1)), { hash: `#/events/${id}` })
  await page.getByRole('button', { name: /^Edit and replay…/ }).click()
  await page
    .getByRole('dialog')
    .getByText('A later event of the same resource is done. The copy runs after that one, out of order.')
    .waitFor()
})

it('the dialog of a second replay says that a later event is done', async () => {
  const page = await openConsole(await mount(await openWithLater(1)), { hash: '#/events/evt_earlier' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  const care = dialog.locator('.note[data-outcome=quarantined]')
  await care.getByText('It was done before: its handler runs a second time.').waitFor()
  await care.getByText(/^A later event of the same resource is done/).waitFor()
  await dialog.getByRole('textbox').fill('the ledger lost it')
  const replay = dialog.getByRole('button', { name: 'Replay 1' })
  expect(await replay.isDisabled()).toBe(true)
  await keepPicture(page, 'replay-done')
  await dialog.getByRole('checkbox', { name: 'I know that its handler runs a second time.' }).check()
  await replay.click()
  await page.getByText('evt_earlier runs again.').waitFor()
})

it('the dialog of a replay gives every reason for care', async () => {
  const inbox = await openInbox(undefined, {}, { attempts: 1 }, ofTransfer)
  await inbox.send('payout.returned', { transferId: 'tr_1' }, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.send('transfer.settled', { transferId: 'tr_1' }, 'evt_later')
  await inbox.until(({ done }) => done === 1)
  const body = new TextDecoder().decode((await inbox.receiver.inspect('evt_dead'))?.body)
  const audit = { reason: 'a test', actor: 'operator 2' }
  await inbox.receiver.replayEdited(
    'evt_dead',
    { body: body.replace('{"transferId"', '{"note":1,"transferId"') },
    audit,
  )
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const care = page.getByRole('dialog').locator('.note[data-outcome=quarantined]')
  await care.getByText(/out of order\.$/).waitFor()
  await care.getByText(/^An edited copy of it was run\./).waitFor()
})

it('the dialog of a replay names an edited copy that is done once, as a copy', async () => {
  const inbox = await openInbox(undefined, { async 'ledger.noted'() {} }, { attempts: 1 }, ofTransfer)
  await inbox.send('payout.returned', { transferId: 'tr_1' }, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  const body = new TextDecoder().decode((await inbox.receiver.inspect('evt_dead'))?.body)
  const audit = { reason: 'a test', actor: 'operator 2' }
  const edited = body.replace('payout.returned', 'ledger.noted')
  await inbox.receiver.replayEdited('evt_dead', { body: edited }, audit)
  await inbox.until(({ done }) => done === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^An edited copy of it was run\./).waitFor()
  expect(await dialog.getByText('out of order').count()).toBe(0)
})
