import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { confirm, outcome } from './operate.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

const audit = { reason: 'too fast', actor: 'operator 2' }

it('says how much of a discard was undone, and by whom', async () => {
  const { receiver } = await openBusyInbox()
  const plan = await receiver.plan({ action: 'discard', where: { type: 'approval.updated' } })
  const run = await receiver.run(plan, audit)
  await run.finished()
  await receiver.undo('evt_reshaped_1', { reason: 'still needed', actor: 'operator 3' })
  const page = await openConsole(await mount({ receiver } as never), { hash: `#/operations/${run.id}` })
  await outcome(page, 'Partly undone: 1 of 2 events restored.').waitFor()
  await page.getByText(/^Events restored .* by operator 3: still needed$/).waitFor()
  await page.getByText('Partly undone', { exact: true }).waitFor()
  await page.getByText(/^Undo is possible until/).waitFor()
  await page.getByRole('row', { name: 'Discarded 1' }).waitFor()
  await page.getByRole('row', { name: 'Restored 1' }).waitFor()
  await page.getByRole('link', { name: 'Operations' }).first().click()
  const row = page.getByRole('row', { name: /^Discard 2/ })
  await row.getByText('Partly undone: 1 of 2 events restored.').waitFor()
  await row.getByText('Events restored by operator 3: still needed').waitFor()
})

it('says who paused and who cancelled an operation, with the right audits:read alone', async () => {
  const { receiver } = await openBusyInbox()
  const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
  await run.pause(audit)
  const hash = `#/operations/${run.id}`
  const page = await openConsole(await mount({ receiver } as never), { hash })
  await page.getByText(/^Paused .* by operator 2: too fast$/).waitFor()
  await run.resume({ ...audit, actor: 'operator 3' })
  await page.getByText(/^Resumed .* by operator 3: too fast$/).waitFor()
  await run.cancel({ reason: 'wrong plan', actor: 'operator 4' })
  await page.getByText(/^Cancelled .* by operator 4: wrong plan$/).waitFor()
  await page.getByText(/^Paused .* by operator 2: too fast$/).waitFor()
  const authorize = (_: unknown, action: string) => action === 'events:read' || action === 'overview:read'
  const other = await openConsole(await mount({ receiver } as never, { authorize }), { hash })
  await other.getByText(/^Cancelled (just now|\d+ s ago|.* ago)$/).waitFor()
  expect(await other.getByText('operator 4').count()).toBe(0)
})

it('names the events of a canary that failed after it stopped as well', async () => {
  let fail: (() => void) | undefined
  let isBack = false
  let isWell = false
  const handlers = {
    async 'payout.returned'({ id }: never) {
      if (isWell) {
        return
      }
      if (isBack && id === 'evt_1') {
        await new Promise<void>((resolve) => {
          fail = resolve
        })
      }
      throw new Error('the bank is down')
    },
  }
  const { sendRaw, receiver, until } = await openInbox(undefined, handlers)
  const first = 'the first, of two. Or three'
  for (const id of [first, 'evt_1', 'evt_2']) {
    const created_at = '2026-01-01T00:00:00Z'
    await sendRaw(JSON.stringify({ id, type: 'payout.returned', created_at, data: {} }))
  }
  await until(({ dead }) => dead === 3)
  isBack = true
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 2 })
  await run.finished()
  const page = await openConsole(await mount({ receiver } as never), { hash: `#/operations/${run.id}` })
  await page.getByText('Failed again: 1.', { exact: false }).waitFor()
  await page.getByText('Its canary failed: ', { exact: false }).waitFor()
  await page
    .getByRole('status')
    .getByText(/The first error: .*the bank is down/)
    .waitFor()
  await keepPicture(page, 'stopped-canary')
  const named = page.getByRole('status').getByRole('link')
  expect(await named.allInnerTexts()).toEqual([first])
  // Its handler may begin after the run has stopped.
  await expect.poll(() => fail).toBeDefined()
  fail?.()
  await page.getByText('Failed again: 2.', { exact: false }).waitFor()
  await named.getByText('evt_1').waitFor()
  expect(await named.allInnerTexts()).toEqual([first, 'evt_1'])
  await confirm(page, 'Continue with the other', 'Continue with the other')
  await page.getByRole('link', { name: /dead again$/ }).click()
  await page.getByRole('listitem').filter({ hasText: 'the bank is down' }).first().waitFor()
  await page.getByText('It was stopped when its canary failed: ', { exact: false }).waitFor()
  await page.getByText('Those that are dead need another replay.', { exact: false }).waitFor()
  // The rest was replayed as well. An event that a person replays before is skipped.
  await page.getByText('Failed again: 3.', { exact: false }).waitFor()
  expect(await named.allInnerTexts()).toEqual([first, 'evt_1'])
  // They are done later by another way, so there is nothing left to plan.
  isWell = true
  for (const id of [first, 'evt_1', 'evt_2']) {
    await receiver.replay(id, audit)
  }
  await until(({ done }) => done === 3)
  // What others do later is told, and does not change what this operation did.
  await page.getByRole('cell', { name: '3 dead again' }).waitFor()
  await page.getByText('Changed again since: 3.').waitFor()
  await page.getByText('Failed again: 3.', { exact: false }).waitFor()
  await page.getByText('It was stopped when its canary failed: ', { exact: false }).waitFor()
  expect(await named.allInnerTexts()).toEqual([first, 'evt_1'])
  expect(await page.getByText('need another replay', { exact: false }).count()).toBe(0)
  await page.getByRole('listitem').filter({ hasText: 'changed again since' }).first().waitFor()
  await keepPicture(page, 'changed-since')
  await page.getByRole('link', { name: 'Operations' }).first().click()
  const row = page.getByRole('row', { name: /^Replay 3/ })
  await row.getByText('Ended with failures, its canary failed').waitFor()
  await row.getByText('Failed again: 3.').waitFor()
})

it('says why the events of a canary do not run', async () => {
  const { receiver } = await openBusyInbox()
  const where = { type: 'approval.updated' }
  const plan = await receiver.plan({ action: 'replay', where })
  await receiver.pause(where, audit)
  const run = await receiver.run(plan, { ...audit, canary: 1 })
  const page = await openConsole(await mount({ receiver } as never), { hash: `#/operations/${run.id}` })
  await page.getByText('It waits for 1 event of its canary:').waitFor()
  await page
    .getByText(/^evt_reshaped_1 waits because operator 2 paused the type approval\.updated .*: too fast\.$/)
    .waitFor()
  await page.getByRole('link', { name: 'Where it can be resumed' }).waitFor()
  await receiver.resume(where, audit)
  await page.getByText('It waits for 1 event of its canary:').waitFor({ state: 'detached' })
})
