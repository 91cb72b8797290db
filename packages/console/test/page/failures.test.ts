import Libsql from 'libsql'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, openInbox, sqliteFile } from '../rig.js'
import { cell, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('leads from the overview to a cause, and says what changed since the last success', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  const wrong = page.getByRole('region', { name: 'What is wrong' })
  await wrong.getByText('An event with this id and other content was received before').waitFor()
  await wrong.getByRole('link', { name: /TypeError/ }).click()
  const pane = page.getByRole('complementary', { name: 'Cause' })
  await pane.getByText('data.approval.status').waitFor()
  await pane.getByText('is new (string)').waitFor()
  await pane.getByText('2 dead', { exact: true }).waitFor()
  await pane.getByText('then replay the events that are dead', { exact: false }).waitFor()
  await pane.getByRole('link', { name: 'Show the events' }).click()
  await page.getByText('2 events, and no older ones.').waitFor()
})

it('acknowledges, reopens and resolves a cause with a reason, and shows it again when it comes back', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/failures' })
  await cell(page, 'TypeError').getByRole('link').click()
  const pane = page.getByRole('complementary', { name: 'Cause' })
  await pane.getByRole('button', { name: 'Acknowledge…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the sender knows')
  await page.getByRole('button', { name: 'Acknowledge it' }).click()
  await pane.getByText('Acknowledged').waitFor()
  await pane.getByRole('cell', { name: 'the sender knows' }).waitFor()
  await cell(page, 'TypeError').waitFor({ state: 'detached' })
  expect(await pane.getByRole('button', { name: 'Acknowledge…' }).count()).toBe(0)

  await pane.getByRole('button', { name: 'Reopen…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('it was the wrong one')
  await page.getByRole('button', { name: 'Open it again' }).click()
  await cell(page, 'TypeError').waitFor()
  await pane.getByRole('cell', { name: 'reopen cause' }).waitFor()
  expect(await pane.getByRole('button', { name: 'Reopen…' }).count()).toBe(0)

  await pane.getByRole('button', { name: 'Resolve…' }).click()
  const stay = 'Its 2 dead events stay dead until somebody replays or discards them.'
  await page.getByRole('dialog').getByText(stay, { exact: false }).waitFor()
  await page.getByRole('dialog').getByRole('textbox').fill('deployed the fix')
  await page.getByRole('button', { name: 'Mark it as resolved' }).click()
  await pane.getByText('Resolved').waitFor()
  await pane.getByRole('button', { name: 'Reopen…' }).waitFor()
  expect(await pane.getByRole('button', { name: /^(Acknowledge|Resolve)…/ }).count()).toBe(0)
  await page.getByRole('link', { name: 'Resolved' }).click()
  await cell(page, 'TypeError').waitFor()

  await inbox.send('approval.updated', { approval: { status: 'late' } }, 'evt_again')
  await page.getByRole('link', { name: 'Open' }).click()
  await cell(page, 'TypeError').getByRole('link').click()
  const byProgram = pane.getByRole('row').filter({ hasText: 'the program' })
  await byProgram.getByText('It failed again after it was resolved.').waitFor()
  await keepPicture(page, 'failure-reopened')
})

it('offers nothing to a person who may only look', async () => {
  const authorize = (_: unknown, action: string) => action.endsWith(':read')
  const page = await openConsole(await mount(await openBusyInbox(), { authorize }), { hash: '#/failures' })
  await cell(page, 'TypeError').getByRole('link').click()
  await page.getByRole('link', { name: 'Show the events' }).waitFor()
  expect(await page.getByRole('button', { name: /^Acknowledge|^Resolve/ }).count()).toBe(0)
  expect(await page.getByRole('link', { name: /^Replay|^Discard/ }).count()).toBe(0)
})

it('shows the causes with the most dead events first, and sorts by the address', async () => {
  const words = ['bank', 'card', 'ledger', 'limit', 'name', 'rail', 'wallet']
  const handlers = Object.fromEntries(
    words.map((word) => [
      `${word}.failed`,
      async () => {
        throw new Error(`the ${word} is wrong`)
      },
    ]),
  )
  const inbox = await openInbox(undefined, handlers)
  // The first cause is the biggest, and was seen first.
  for (const [at, word] of ['bank', 'bank', 'bank', ...words].entries()) {
    await inbox.send(`${word}.failed`, {}, `evt_${at}`)
    await inbox.until(({ dead }) => dead === at + 1)
  }
  const url = await mount(inbox)
  const first = (page: Page) => page.locator('.list tbody tr').first()
  const overview = await openConsole(url)
  await first(overview).getByText('the bank is wrong').waitFor()
  expect(await overview.locator('.list tbody tr').count()).toBe(5)
  const page = await openConsole(url, { hash: '#/failures' })
  await first(page).getByText('the bank is wrong').waitFor()
  await page.getByRole('link', { name: 'Last seen' }).click()
  await first(page).getByText('the wallet is wrong').waitFor()
  expect(new URL(page.url()).hash).toBe('#/failures?state=open&sort=seen')
  await page.reload()
  await first(page).getByText('the wallet is wrong').waitFor()
  const { rows, next } = await (await fetch(`${url}/api/groups?sort=events&limit=2`)).json()
  const rest = await (await fetch(`${url}/api/groups?sort=events&cursor=${next}`)).json()
  expect([rows.length, rest.rows.length, rest.next]).toEqual([2, 5, undefined])
  expect((await fetch(`${url}/api/groups?sort=age`)).status).toBe(422)
})

it('does not doubt a success that it shows', async () => {
  let isDown = false
  const handlers = {
    async 'payout.returned'() {
      if (isDown) {
        throw new Error('the rail is down')
      }
    },
  }
  const inbox = await openInbox(undefined, handlers)
  await inbox.send('payout.returned', { payoutId: 'po_1' }, 'evt_good')
  await inbox.until(({ done }) => done === 1)
  isDown = true
  await inbox.send('payout.returned', { payoutId: 'po_2' }, 'evt_bad')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/failures' })
  await cell(page, 'the rail is down').getByRole('link').click()
  await page.getByText('The shape of its data has not changed.', { exact: true }).waitFor()
})

it('says that a success is later than the last failure only if it is certain', async () => {
  const { store, file } = await sqliteFile()
  const handlers = {
    async 'payout.returned'({ data }: { data: { isBad?: boolean } }) {
      if (data.isBad) {
        throw new Error('the rail is down')
      }
    },
  }
  const inbox = await openInbox(async () => store, handlers)
  await inbox.send('payout.returned', { isBad: true }, 'evt_bad_1')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.send('payout.returned', {}, 'evt_good')
  await inbox.until(({ done }) => done === 1)
  // It is later than the success, but the cause is not noted anew so soon.
  await inbox.send('payout.returned', { isBad: true }, 'evt_bad_2')
  await inbox.until(({ dead }) => dead === 2)
  const page = await openConsole(await mount(inbox), { hash: '#/failures' })
  await cell(page, 'the rail is down').getByRole('link').click()
  await page.getByText('Last success', { exact: true }).waitFor()
  const claim = page.getByText('after the last failure', { exact: false })
  expect(await claim.count()).toBe(0)
  const database = new Libsql(file)
  database.exec('UPDATE webhook_inbox_failure_groups SET last_seen_at = last_seen_at - 60000')
  database.close()
  await page.reload()
  await claim.getByText('Others can still fail.', { exact: false }).waitFor()
})

it('says on each button of a cause that its count is not the whole', async () => {
  const inbox = await openFilledInbox()
  const [group] = await inbox.receiver.failures({ limit: 10 })
  const page = await openConsole(await mount(inbox))
  await page.route('**/api/groups/*', async (route) => {
    const whole = await (await route.fetch()).json()
    await route.fulfill({ json: { ...whole, dead: 9091, failed: 909, count: 10_000, isCapped: true } })
  })
  await page.goto(`${page.url().split('#')[0]}#/failures/${encodeURIComponent(group?.group ?? '')}`)
  for (const name of ['Replay 9,091+ dead…', 'Retry 909+ now…', 'Discard 9,091+…']) {
    await page.getByRole('link', { name, exact: true }).waitFor()
  }
})
