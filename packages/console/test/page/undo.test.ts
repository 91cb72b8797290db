import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox, sharedStore } from '../rig.js'
import { confirm } from './operate.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('takes a discard back', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_reshaped_1' })
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('a test')
  await page.getByRole('button', { name: 'Discard 1' }).click()
  const undo = page.getByRole('complementary', { name: 'Undo' })
  // The page of the event says it already.
  await page.getByText(/^Discarded .* by operator\. Undo is possible until/).waitFor()
  expect(await page.getByText('Undo is possible until').count()).toBe(1)
  await page.getByText(/^It was approval\.updated, resource .*handler_failed: TypeError/).waitFor()
  await keepPicture(page, 'discarded-event')
  expect(await page.getByText(/It is discarded|It is deleted/).count()).toBe(0)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Failures' }).click()
  await undo.getByText(/Undo is possible until \d\d:\d\d:\d\d, in .*\./).waitFor()
  await undo.getByRole('button', { name: 'Undo…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('it was no test')
  await page.getByRole('button', { name: 'Restore it' }).click()
  await undo.waitFor({ state: 'detached' })
  await page.getByRole('complementary', { name: 'Event' }).getByText('Dead').waitFor()
  expect(await inbox.receiver.inspect('evt_reshaped_1')).toMatchObject({ state: 'dead' })
})

it('says before an undo until when it is possible, and in a sentence why it restored nothing', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_reshaped_1' })
  await confirm(page, 'Discard…', 'Discard 1')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Failures' }).click()
  await page.getByRole('button', { name: 'Undo…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^Undo is possible until \d\d:\d\d:\d\d, in .*\.$/).waitFor()
  await inbox.receiver.undo('evt_reshaped_1', { reason: 'no test', actor: 'operator 2' })
  await dialog.getByRole('textbox').fill('it was no test')
  await dialog.getByRole('button', { name: 'Restore it' }).click()
  await dialog
    .getByText(/^Nothing was restored: operator 2 restored it at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
    .waitFor()
})

it('says before an undo how many events of an operation are left to restore', async () => {
  const inbox = await openBusyInbox()
  const plan = await inbox.receiver.plan({ action: 'discard', where: { type: 'approval.updated' } })
  const audit = { reason: 'a test', actor: 'operator 2' }
  const run = await inbox.receiver.run(plan, audit)
  await run.finished()
  await inbox.receiver.undo('evt_reshaped_1', audit)
  const page = await openConsole(await mount(inbox), { hash: `#/operations/${run.id}` })
  await page.getByText('Partly undone: 1 of 2 events restored.').waitFor()
  await page.getByRole('button', { name: 'Undo the discard…' }).click()
  await page.getByText('Restores up to 1 event: those that have not arrived again.').waitFor()
})

it('cancels an operation that has not ended before it restores what that discarded', async () => {
  const inbox = await openBusyInbox()
  const plan = await inbox.receiver.plan({ action: 'discard', where: { type: 'approval.updated' } })
  const audit = { reason: 'a test', actor: 'operator 2' }
  const run = await inbox.receiver.run(plan, { ...audit, perSecond: 0.001 })
  await expect.poll(async () => (await run.progress()).applied).toBe(1)
  const page = await openConsole(await mount(inbox), { hash: `#/operations/${run.id}` })
  await page.getByRole('button', { name: 'Undo the discard…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Cancels the rest. Restores up to 1 event: those that have not').waitFor()
  await dialog.getByRole('textbox').fill('wrong events')
  await dialog.getByRole('button', { name: 'Restore them' }).click()
  await page.getByText('Undone: 1 of 1 event restored. Not handled: 1.').waitFor()
  await page.getByText('Cancelled').first().waitFor()
  expect(await page.getByRole('button', { name: 'Resume…' }).count()).toBe(0)
  expect(await run.progress()).toMatchObject({ state: 'cancelled', restored: 1, remaining: 1 })
})

it('says before an operation is resumed what somebody restored of it', async () => {
  const inbox = await openBusyInbox()
  const plan = await inbox.receiver.plan({ action: 'discard', where: { type: 'approval.updated' } })
  const audit = { reason: 'a test', actor: 'operator 2' }
  const run = await inbox.receiver.run(plan, { ...audit, perSecond: 0.001 })
  await expect.poll(async () => (await run.progress()).applied).toBe(1)
  await run.pause(audit)
  await inbox.receiver.undo('evt_reshaped_1', audit)
  const page = await openConsole(await mount(inbox), { hash: `#/operations/${run.id}` })
  await page.getByRole('button', { name: 'Resume…' }).click()
  await page.getByRole('dialog').getByText('Undone: 1 of 1 event restored. Not handled: 1.').waitFor()
})

it('shows a restored event whose id contains a slash', async () => {
  const inbox = await openInbox()
  const event = { id: 'payments/7', type: 'transfer.failed', created_at: '2026-01-01T00:00:00Z', data: {} }
  await inbox.sendRaw(JSON.stringify(event))
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/payments%2F7' })
  await confirm(page, 'Discard…', 'Discard 1')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Failures' }).click()
  await confirm(page, 'Undo…', 'Restore it')
  await page.getByRole('complementary', { name: 'Event' }).getByText('Dead').waitFor()
})

it('says who discarded an event, and lets another operator undo it in time', async () => {
  const store = await sharedStore()
  const inbox = await openInbox(store)
  const brief = await openInbox(store, {}, { attempts: 1 }, { undoSeconds: 3 })
  await inbox.send('transfer.failed', {}, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  const mine = await openConsole(await mount(inbox), { hash: '#/events/evt_dead' })
  const actor = () => 'operator 2'
  const theirs = await openConsole(await mount(brief, { actor }), { hash: '#/events/evt_dead' })
  await theirs.getByRole('button', { name: 'Discard…' }).waitFor()
  await confirm(mine, 'Discard…', 'Discard 1')
  for (const page of [mine, theirs]) {
    const pane = page.getByRole('complementary', { name: 'Event' })
    await pane.getByText(/^Discarded .* by operator\. Undo is possible until/).waitFor()
    await pane.getByRole('button', { name: 'Undo…' }).waitFor()
    expect(await pane.getByText('Cannot read').count()).toBe(0)
    await pane.getByText(/^It was transfer\.failed\. /).waitFor()
    expect(await pane.getByRole('button', { name: 'Replay…' }).count()).toBe(0)
  }
  await theirs.getByRole('button', { name: 'Undo…' }).click()
  await theirs.getByRole('dialog', { name: 'Undo the discard of evt_dead' }).getByRole('textbox').fill('no')
  await theirs.getByRole('button', { name: 'Restore it' }).click()
  await theirs.getByRole('button', { name: 'Discard…' }).waitFor()
  await mine.getByRole('complementary', { name: 'Event' }).getByRole('button', { name: 'Discard…' }).waitFor()

  await confirm(theirs, 'Discard…', 'Discard 1')
  await mine.getByText(/^Discarded .* by operator 2\./).waitFor()
  for (const page of [mine, theirs]) {
    await page.getByText('It can no longer be restored.').waitFor()
    expect(await page.getByRole('button', { name: 'Undo…' }).count()).toBe(0)
    expect(await page.getByRole('complementary', { name: 'Undo' }).count()).toBe(0)
  }
})

it('restores the event alone where its id is the key of a discarded delivery', async () => {
  const inbox = await openInbox()
  await inbox.sendRaw('no JSON')
  await inbox.until(({ quarantined }) => quarantined === 1)
  const [delivery] = await inbox.receiver.quarantined()
  const key = delivery?.key ?? ''
  const event = { id: key, type: 'transfer.failed', created_at: '2026-01-01T00:00:00Z', data: {} }
  await inbox.sendRaw(JSON.stringify(event))
  await inbox.until(({ dead }) => dead === 1)
  const audit = { reason: 'known', actor: 'operator 2' }
  await inbox.receiver.discard(key, audit, { kind: 'delivery' })
  const page = await openConsole(await mount(inbox), { hash: `#/events/${encodeURIComponent(key)}` })
  await confirm(page, 'Discard…', 'Discard 1')
  await page.getByText('Undo is possible until').waitFor()
  await confirm(page, 'Undo…', 'Restore it')
  await page.getByRole('complementary', { name: 'Event' }).getByText('Dead').waitFor()
  expect(await inbox.receiver.quarantined()).toEqual([])
})

it('offers no undo of what another operator has restored', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_reshaped_1' })
  await confirm(page, 'Discard…', 'Discard 1')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Failures' }).click()
  const undo = page.getByRole('complementary', { name: 'Undo' })
  await undo.getByRole('button', { name: 'Undo…' }).waitFor()
  await inbox.receiver.undo('evt_reshaped_1', { reason: 'no test', actor: 'operator 2' })
  await undo.waitFor({ state: 'detached' })
})

it('shows what was done above the bar of an undo, and not over its buttons', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events/evt_reshaped_1' })
  await confirm(page, 'Discard…', 'Discard 1')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Failures' }).click()
  const undo = page.getByRole('complementary', { name: 'Undo' })
  await undo.waitFor()
  await page.locator('.causes .cover').first().click()
  await confirm(page, 'Acknowledge…', 'Acknowledge it')
  const said = page.getByText('It is acknowledged.')
  await said.waitFor()
  const [of, bar] = [await said.boundingBox(), await undo.boundingBox()]
  expect((of?.y ?? 0) + (of?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
  expect(of?.y).toBeGreaterThan(400)
  expect((of?.x ?? 0) + (of?.width ?? 0) / 2).toBeCloseTo((page.viewportSize()?.width ?? 0) / 2, -1)
})
