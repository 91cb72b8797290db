import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { confirm, outcome, start } from './operate.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('replays all that match a filter, and says what became of each', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events?state=dead&type=transfer.settled' })
  await page.getByText('12 events, and no older ones.').waitFor()
  await page.getByRole('link', { name: 'Act on all that match…' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page
    .getByText('12 events match. Events that arrive or fail from now on are not part of it.')
    .waitFor()
  // Somebody else is faster with one of them.
  await inbox.receiver.replay('evt_refused_3', { reason: 'a try', actor: 'operator 2' })
  await inbox.until(({ failed }) => failed === 4)
  await page.getByRole('spinbutton', { name: 'First, as a canary' }).fill('0')
  expect(await page.getByRole('button', { name: 'Replay 12 events' }).isDisabled()).toBe(true)
  await page.getByRole('textbox').fill('the ledger is back')
  await page.getByRole('button', { name: 'Replay 12 events' }).click()
  await outcome(page, 'Failed again: 11. Set to run again: 11 of 12. Skipped: 1.').waitFor()
  await page.getByText('Ended').first().waitFor()
  const became = page.getByRole('cell', { name: '11 failed again' })
  await became.getByRole('link', { name: '11 failed again' }).click()
  await page.getByRole('heading', { name: 'Events: failed again' }).waitFor()
  expect(await page.locator('main li a.mono').allInnerTexts()).toHaveLength(11)
  // Somebody gives one of them up. The page notices by itself, and still says what the operation did.
  const plan = await inbox.receiver.plan({ action: 'giveUp', where: { id: 'evt_refused_5' } })
  await (await inbox.receiver.run(plan, { reason: 'known', actor: 'operator 2' })).finished()
  await page.getByText('Changed again since: 1.').waitFor()
  const given = page.getByRole('listitem').filter({ hasText: 'changed again since' })
  await given.getByRole('link', { name: 'evt_refused_5' }).waitFor()
  await page.getByRole('button', { name: 'Show the 1 event that did not change' }).click()
  await page.getByRole('link', { name: 'evt_refused_3' }).waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Operations' }).click()
  await page.getByRole('cell', { name: /operator\s*the ledger is back/ }).waitFor()
  // The list does not look better than the run.
  const row = page.getByRole('row', { name: /^Replay 12/ })
  await row.getByText('Ended with failures', { exact: true }).waitFor()
  await row
    .getByText('Failed again: 11. Changed again since: 1. Set to run again: 11 of 12. Skipped: 1.')
    .waitFor()
})

it('pauses, resumes and cancels, and says what it did not handle', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), {
    hash: '#/operations/new?state=dead&action=discard&type=transfer.settled',
  })
  await start(page, 'Discard 12 events', { pace: '1' })
  await confirm(page, 'Pause…', 'Pause it')
  await page.getByText('Paused', { exact: true }).waitFor()
  await confirm(page, 'Resume…', 'Resume it')
  await page.getByText('Running', { exact: true }).waitFor()
  // Somebody else pauses it while this operator types.
  await page.getByRole('button', { name: 'Pause…' }).click()
  const [{ id = '' } = {}] = await inbox.receiver.runs()
  await (await inbox.receiver.findRun(id))?.pause({ reason: 'too fast', actor: 'operator 2' })
  await page.getByRole('dialog').getByRole('textbox').fill('because')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause it' }).click()
  await page
    .getByRole('dialog')
    .getByText(
      /^The operation is paused now, not as it was shown\. It was paused at .+ by operator 2: too fast\./,
    )
    .waitFor()
  await page.getByRole('button', { name: 'Close and show it as it is now' }).click()
  await confirm(page, 'Cancel…', 'Cancel the rest')
  await page.getByText('Cancelled', { exact: true }).waitFor()
  await page.getByText(/^Discarded: \d+ of 12\. Not handled: \d+\.$/).waitFor()
  expect(await page.getByRole('button', { name: 'Cancel…' }).count()).toBe(0)
})

it('stops by its canary, and goes on with the rest when somebody says so', async () => {
  const inbox = await openBusyInbox()
  for (const [at, id] of ['evt_later_0', 'evt_later_3'].entries()) {
    await inbox.send('ledger.matched', { transferId: `tr_${at * 3}` }, id)
  }
  await inbox.until(({ done }) => done === 51)
  const page = await openConsole(await mount(inbox), {
    hash: '#/operations/new?state=dead&action=replay&type=transfer.settled',
  })
  await start(page, 'Replay 12 events', { canary: '1' })
  await page.getByText('Stopped by its canary').waitFor()
  await page.getByRole('status').getByRole('link', { name: 'evt_refused_0' }).waitFor()
  expect(await page.getByText('Ended').count()).toBe(0)
  await page.getByRole('button', { name: 'Continue with the other' }).click()
  const dialog = page.getByRole('dialog', { name: 'Continue with the other 11 of this operation' })
  await dialog.getByText('1 of 1 event of the canary failed again. ').waitFor()
  await dialog.getByText('without another canary').waitFor()
  // The event of the canary is not part of the rest.
  await dialog.getByText('Of these events, 1 has a later event of the same resource that is done.').waitFor()
  await page.keyboard.press('Escape')
  await outcome(page, 'Failed again: 1. Set to run again: 1 of 12. Not handled: 11.').waitFor()
  await confirm(page, 'Continue with the other', 'Continue with the other')
  await outcome(page, 'Failed again: 12. Set to run again: 12 of 12.').waitFor()
  await page.getByText('Ended with failures, its canary failed', { exact: true }).waitFor()
})

const widths = (parts: Element[]) => parts.map((part) => part.getAttribute('width'))

it('puts back what it discarded', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), {
    hash: '#/operations/new?state=dead&action=discard&type=approval.updated',
  })
  await start(page, 'Discard 2 events')
  await outcome(page, 'Discarded: 2 of 2.').waitFor()
  expect(await inbox.receiver.inspect('evt_reshaped_1')).toBeUndefined()
  await page.getByText(/^Undo is possible until \d\d:\d\d:\d\d, in \d.* (h|min|d)\.$/).waitFor()
  await page.getByRole('button', { name: 'Undo the discard…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Undo the discard of this operation' })
  await dialog.getByText('Restores up to 2 events', { exact: false }).waitFor()
  await dialog.getByText(/^Undo is possible until .*, in /).waitFor()
  await page.keyboard.press('Escape')
  await confirm(page, 'Undo the discard…', 'Restore them')
  await page.getByText('2 events restored.', { exact: true }).waitFor()
  for (const _ of ['at once', 'after a reload']) {
    await page.getByText(/^Events restored .* by operator: because$/).waitFor()
    await page.getByText('Undone', { exact: true }).waitFor()
    await outcome(page, 'Undone: 2 of 2 events restored.').waitFor()
    expect(await page.getByText('Discarded: 2 of 2.').count()).toBe(0)
    expect(await page.locator('.progress rect').evaluateAll(widths)).toEqual(['0', '0', '0', '0'])
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0)
    await page.reload()
  }
  expect(await inbox.receiver.inspect('evt_reshaped_1')).toMatchObject({ state: 'dead' })
})

it('offers no act that does not fit the state, and names the conditions that it cannot use', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { hash: '#/operations/new?state=failed' })
  await page.getByRole('radio', { name: /^Retry now/ }).waitFor()
  await page.getByRole('radio', { name: /^Give up/ }).waitFor()
  expect(await page.getByRole('radio').count()).toBe(2)
  const other = await openConsole(url, { hash: '#/events?text=ledger' })
  await other.getByText('Act on all that match: not possible by text.').waitFor()
  await other.getByRole('paragraph').getByRole('link', { name: 'Failures' }).click()
  await other.waitForURL(/#\/failures$/)
})

it('counts nothing where nothing matches', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    hash: '#/operations/new?state=dead&type=account.closed',
  })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('No event matches. Remove a condition, or choose another action.').waitFor()
})

it('shows the cause and the filter of an operation', async () => {
  const inbox = await openBusyInbox()
  const group = (await inbox.receiver.inspect('evt_reshaped_1'))?.group as string
  const title = /TypeError: Cannot read properties of undefined/
  const page = await openConsole(await mount(inbox), {
    hash: `#/operations/new?action=discard&type=approval.updated&group=${encodeURIComponent(group)}`,
  })
  await page.getByRole('link', { name: title }).waitFor()
  expect(await page.getByText(group).count()).toBe(0)
  await start(page, 'Discard 2 events')
  await outcome(page, 'Discarded: 2 of 2.').waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Operations' }).click()
  await page
    .getByRole('row', { name: /^Discard 2/ })
    .getByText(title)
    .waitFor()
  await page.getByText(/type approval\.updated/).waitFor()
})

it('shows the times of a filter as everywhere else', async () => {
  const inbox = await openBusyInbox()
  const since = new Date(Date.now() - 3 * 60 * 60_000).toISOString()
  const plan = await inbox.receiver.plan({ action: 'giveUp', where: { since: new Date(since) } })
  await (await inbox.receiver.run(plan, { reason: 'paid by hand', actor: 'operator 2' })).finished()
  const page = await openConsole(await mount(inbox), { hash: '#/operations' })
  await page.getByText('since 3 h ago').waitFor()
  await page.locator('main .cover').click()
  await page.getByText('Given up: 3 of 3.').waitFor()
  const time = page.locator('dl.life time').first()
  expect([await time.textContent(), await time.getAttribute('datetime')]).toEqual(['3 h ago', since])
})

it('replays done events only after one says that each runs a second time', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    hash: '#/operations/new?state=done&type=ledger.matched',
  })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page
    .getByText('Events whose edited copy is done or is to run are skipped.', { exact: false })
    .waitFor()
  expect(await page.getByText('gave up', { exact: false }).count()).toBe(0)
  await page.getByRole('textbox').fill('the ledger lost them')
  const button = page.getByRole('button', { name: 'Replay 24 events' })
  expect(await button.isDisabled()).toBe(true)
  await page.getByText('Confirm first that each runs a second time.').waitFor()
  await page
    .getByRole('checkbox', { name: 'I know that the handler of each event runs a second time.' })
    .check()
  await button.click()
  await outcome(page, 'Done: 24. Set to run again: 24 of 24.').waitFor()
})
