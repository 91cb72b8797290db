import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { keepPicture, pixelsBeyond, useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, openInbox } from '../rig.js'
import { cell, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('retries one event now, and gives it up', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_returned_1' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  await pane.getByText('It failed once, and is retried.').waitFor()
  await pane.getByRole('button', { name: 'Retry now…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the rail is back')
  await page.getByRole('button', { name: 'Retry now 1' }).click()
  await page.getByText('Due now: 1 of 1.').waitFor()
  await pane.getByText('2 times').first().waitFor()

  await pane.getByRole('button', { name: 'Give up…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the payout was paid by hand')
  await page.getByRole('button', { name: 'Give up 1' }).click()
  await pane.getByText('Dead').waitFor()
  await pane.getByText('the payout was paid by hand').first().waitFor()
})

it('runs an edited copy, which names the event that it comes from', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events/evt_reshaped_1' })
  await page.getByRole('button', { name: 'Edit and replay…' }).click()
  const dialog = page.getByRole('dialog')
  const body = dialog.getByRole('textbox', { name: /^Body/ })
  const text = await body.inputValue()
  await dialog.getByRole('textbox', { name: /^Why/ }).fill('the sender renamed a field')
  expect(await dialog.getByRole('button', { name: 'Run the copy' }).isDisabled()).toBe(true)
  await body.fill('{ "half": ')
  await dialog.getByText(/^This is not JSON/).waitFor()
  await body.fill(text.replace('"status": "granted"', '"state": "granted"'))
  await dialog.getByRole('button', { name: 'Run the copy' }).click()
  const pane = page.getByRole('complementary', { name: 'Event' })
  await pane.getByRole('link', { name: 'evt_reshaped_1' }).first().waitFor()
  await pane.getByText('not signed by the sender').waitFor()
  await pane.getByText('It was done.').waitFor()
  await page.goto(page.url().replace(/#.*/, '#/audits'))
  await page.getByRole('cell', { name: /^replay edited \S+ from evt_reshaped_1$/ }).waitFor()
})

it('takes a discard back', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_reshaped_1' })
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('a test')
  await page.getByRole('button', { name: 'Discard 1' }).click()
  const undo = page.getByRole('complementary', { name: 'Undo' })
  await undo.getByText(/Undo is possible until \d\d:\d\d:\d\d\./).waitFor()
  await undo.getByRole('button', { name: 'Undo…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('it was no test')
  await page.getByRole('button', { name: 'Restore it' }).click()
  await undo.waitFor({ state: 'detached' })
  await page.getByRole('complementary', { name: 'Event' }).getByText('Dead').waitFor()
  expect(await inbox.receiver.inspect('evt_reshaped_1')).toMatchObject({ state: 'dead' })
})

it('says who discarded an event, and lets another operator undo it in time', async () => {
  const inbox = await openInbox(undefined, {}, { attempts: 1 }, { undoSeconds: 20 })
  await inbox.send('transfer.failed', {}, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  const mine = await openConsole(await mount(inbox), { hash: '#/events/evt_dead' })
  const actor = () => 'operator 2'
  const theirs = await openConsole(await mount(inbox, { actor }), { hash: '#/events/evt_dead' })
  const discard = async () => {
    await mine.getByRole('button', { name: 'Discard…' }).click()
    await mine.getByRole('dialog').getByRole('textbox').fill('a test')
    await mine.getByRole('button', { name: 'Discard 1' }).click()
  }
  await theirs.getByRole('button', { name: 'Discard…' }).waitFor()
  await discard()
  for (const page of [mine, theirs]) {
    const pane = page.getByRole('complementary', { name: 'Event' })
    await pane.getByText(/^Discarded .* by operator\. Undo is possible until/).waitFor()
    await pane.getByRole('button', { name: 'Undo…' }).waitFor()
    expect(await pane.getByText('Cannot read').count()).toBe(0)
    expect(await pane.getByText('transfer.failed').count()).toBe(0)
  }
  await theirs.getByRole('button', { name: 'Undo…' }).click()
  await theirs.getByRole('dialog', { name: 'Undo the discard of evt_dead' }).getByRole('textbox').fill('no')
  await theirs.getByRole('button', { name: 'Restore it' }).click()
  await theirs.getByRole('button', { name: 'Discard…' }).waitFor()
  await mine.getByRole('complementary', { name: 'Event' }).getByRole('button', { name: 'Discard…' }).waitFor()

  await discard()
  await mine.getByRole('complementary', { name: 'Undo' }).waitFor()
  await mine.getByText('It can no longer be restored.').waitFor()
  expect(await mine.getByRole('button', { name: 'Undo…' }).count()).toBe(0)
  expect(await mine.getByRole('complementary', { name: 'Undo' }).count()).toBe(0)
})

it('says why a running event was not given up', async () => {
  let end = () => {}
  const running = {
    'payout.returned': () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  }
  const inbox = await openInbox(undefined, running)
  onTestFinished(() => end())
  await inbox.send('payout.returned', {}, 'evt_payout')
  await expect.poll(async () => (await inbox.receiver.explain('evt_payout')).reason).toBe('running')
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_payout' })
  await page.getByRole('button', { name: 'Give up…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('it takes too long')
  await page.getByRole('button', { name: 'Give up 1' }).click()
  await page.getByText('Give up: it did not change, because a handler runs it now.').waitFor()
})

it('checks a quarantined delivery again, and says why it stays', async () => {
  const page = await openConsole(await mount(await openFilledInbox()), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_json' }).click()
  await page.getByText('The signed body is not valid JSON, or is ambiguous.').waitFor()
  await page.getByRole('button', { name: 'Verify again…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the schema is corrected')
  await page.getByRole('button', { name: 'Check it again' }).click()
  await page.getByText(/^It stays in quarantine: invalid_json/).waitFor()
})

it('names the field that is wrong in a quarantined delivery', async () => {
  const inbox = await openFilledInbox()
  await inbox.sendRaw(JSON.stringify({ id: 'evt_undated', type: 'transfer.settled', data: {} }))
  await inbox.until(({ quarantined }) => quarantined === 2)
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'invalid_envelope' }).click()
  await page.getByText(/^What is wrong: .*createdAt/).waitFor()
})

it('shows each attempt of an event with its error and the pause after it', async () => {
  const errors = ['the bank is closed', 'the bank is closed', 'the account is unknown']
  const payouts = {
    async 'payout.returned'() {
      const error = errors.shift()
      if (error) {
        throw new Error(error)
      }
    },
  }
  const inbox = await openInbox(undefined, payouts, {
    attempts: 3,
    firstPauseSeconds: 0.2,
  })
  await inbox.send('payout.returned', {}, 'evt_payout')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.receiver.replay('evt_payout', { reason: 'the account is opened', actor: 'operator' })
  await inbox.until(({ done }) => done === 1)
  for (const width of [1280, 360]) {
    const viewport = { width, height: 900 }
    const page = await openConsole(await mount(inbox), {
      hash: '#/events/evt_payout',
      viewport,
    })
    const attempts = page.getByRole('list', { name: 'Its attempts' }).getByRole('listitem')
    await attempts.first().waitFor()
    const words = (await attempts.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(words).toEqual([
      expect.stringMatching(/^Attempt 1 \d\d:.* next attempt \d+ ms later .*Error: the bank is closed/),
      expect.stringMatching(/^Attempt 2 \d\d:.* next attempt \d+ ms later The same error\./),
      expect.stringMatching(/^Attempt 3 \d\d:(?!.*next attempt).*Error: the account is unknown/),
      expect.stringMatching(/^Attempt 1 after replay 1 \d\d:.*It was done\./),
    ])
    expect(await cell(page, 'payout.returned').locator('td.number').textContent()).toBe('1')
    expect(await pixelsBeyond(page)).toBe(0)
    await page.getByRole('list', { name: 'Its attempts' }).scrollIntoViewIfNeeded()
    await keepPicture(page, `attempts-${width}`)
  }
})

it('shows the last error once', async () => {
  const errors = ['the bank is closed', 'the account is unknown', 'the account is unknown']
  const payouts = {
    async 'payout.returned'() {
      throw new Error(errors.shift())
    },
  }
  const inbox = await openInbox(undefined, payouts, { attempts: 3, firstPauseSeconds: 0.2 })
  await inbox.send('payout.returned', {}, 'evt_payout')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_payout' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  const attempts = pane.getByRole('list', { name: 'Its attempts' }).getByRole('listitem')
  await attempts.first().waitFor()
  const shown = attempts.locator('div > :is(.error, div.faint)')
  expect(await shown.allInnerTexts()).toEqual([
    expect.stringContaining('the bank is closed'),
    'The error above.',
    'The same error.',
  ])
  expect(await pane.getByText('the account is unknown').count()).toBe(1)
})

it('leads from an event to the others of its resource, and to all of its cause', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events/evt_refused_0' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  const others = pane.getByRole('table', { name: 'Events of the same resource' })
  await others.getByText('transfer.settled, shown here').waitFor()
  await pane.getByRole('link', { name: 'All of this cause' }).click()
  await page.getByRole('complementary', { name: 'Cause' }).getByText('12 dead', { exact: true }).waitFor()
  await page.goBack()
  await others.getByRole('link', { name: 'evt_matched_0' }).click()
  await pane.getByRole('heading', { name: 'evt_matched_0' }).waitFor()
})

it('copies an event as a command that a test receiver takes, with fields redacted', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events/evt_settled_1' })
  await page.getByRole('button', { name: /^Copy as…/ }).click()
  const dialog = page.getByRole('dialog')
  const code = dialog.getByRole('region', { name: 'What is copied' })
  await dialog.getByRole('textbox').fill('data.amount')
  await dialog.getByRole('button', { name: 'Redact' }).click()
  await code.getByText('"amount":"•••"').waitFor()
  await code.getByText('Service-Signature: t=').waitFor()
  await dialog.getByRole('radio', { name: 'A vitest test' }).check()
  await code.getByText("from 'vitest'").waitFor()
  await dialog.getByRole('radio', { name: 'A fixture for the sandbox' }).check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toContain('evt_settled_1')
})

it('finds by a field of the body, beside another condition', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events?state=dead' })
  await page.getByText('14 events, and no older ones.').waitFor()
  await page.getByText('More conditions').click()
  await page.getByRole('textbox', { name: /^A field of the body/ }).fill('data.transferId:tr_3')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('1 event, and no older ones. The search has read 14 events.').waitFor()
  await page.getByText('A change of all matching events cannot use: body.').waitFor()
  expect(new URL(page.url()).hash).toBe('#/events?body=data.transferId%3Atr_3&state=dead')
})

it('says that a search finds no masked value', async () => {
  const url = await mount(await openBusyInbox(), { mask: ['data.transferId'] })
  const page = await openConsole(url, { hash: '#/events?state=dead&body=data.transferId:tr_3' })
  await page.getByText('The search has read 14 events. A search finds no masked value.').waitFor()
})

it('shows the workers, and marks the start of their version', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  await page.getByRole('table', { name: 'Workers' }).getByText('0.1.0').waitFor()
  await page.getByText(/^The dashed mark: version 0\.1\.0 started at/).waitFor()
  expect(await page.locator('.spark .mark').count()).toBeGreaterThan(0)
})

it('saves a view in the browser, and opens and removes it', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { hash: '#/events?state=dead' })
  const views = page.locator('[data-menu=views] > summary')
  await views.click()
  await page.getByRole('button', { name: 'Save or remove…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('my dead ones')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.goto(`${url}/#/events`)
  await page.reload()
  await views.click()
  await page.getByRole('button', { name: 'my dead ones' }).click()
  expect(new URL(page.url()).hash).toBe('#/events?state=dead')
  await views.click()
  await page.getByRole('button', { name: 'Save or remove…' }).click()
  await page.getByRole('button', { name: 'Remove my dead ones' }).click()
  await page.getByRole('list', { name: 'Saved views' }).waitFor({ state: 'detached' })
})

it('needs the keyboard alone: find, open, replay, go on, back, help', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox))
  const press = (key: string) => page.keyboard.press(key)
  const isAt = (hash: string) => expect.poll(() => new URL(page.url()).hash).toBe(hash)
  await page.getByText('Live').waitFor()
  await press('3')
  await isAt('#/events')
  await page.getByRole('link', { name: 'payout.returned' }).first().waitFor()
  await press('/')
  await page.keyboard.type('ledger')
  await press('Enter')
  await isAt('#/events?text=ledger')
  await page.getByText('12 events, and no older ones.').waitFor()
  await press('Escape')
  await press('j')
  await press('j')
  await press('Enter')
  await isAt('#/events/evt_refused_10?text=ledger')
  // The address changes before the page does.
  await page.getByRole('heading', { name: 'evt_refused_10' }).waitFor()
  await press('j')
  await isAt('#/events/evt_refused_9?text=ledger')
  await page.getByRole('button', { name: /^Replay…/ }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await press('r')
  // No wait: the first letter belongs to the reason.
  await page.keyboard.type('3 ledgers are back')
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('textbox').inputValue()).toBe('3 ledgers are back')
  await isAt('#/events/evt_refused_9?text=ledger')
  await press('Tab')
  await press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(async () => (await inbox.receiver.inspect('evt_refused_9'))?.generation).toBe(1)
  await page.getByRole('button', { name: /^Replay…/ }).waitFor({ state: 'detached' })
  await expect.poll(focused).toMatch(/^(evt_refused_9|transfer\.settled)$/)
  await press('Escape')
  await isAt('#/events?text=ledger')
  // While the event runs again, it has no error, and is not in the list.
  await expect.poll(focused).toMatch(/^(Events|transfer\.settled)$/)
  await press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Act on all events that match').waitFor()
})

it.each([1280, 390])('keeps the focus at a sensible element, %i pixels wide', async (width) => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    hash: '#/events?state=dead',
    viewport: { width, height: 844 },
  })
  const focused = () =>
    page.evaluate(() => {
      const { tagName = '', textContent } = document.activeElement ?? {}
      return tagName === 'TEXTAREA' || tagName === 'INPUT' ? tagName : `${tagName} ${textContent}`
    })
  const isWide = width > 1000
  const row = page.locator('[data-id=evt_refused_9]')
  await row.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Discard…/ }).waitFor()
  await expect.poll(focused).toBe(isWide ? 'A transfer.settled' : 'H2 evt_refused_9')
  for (const [key, field] of [
    ['r', 'TEXTAREA'],
    ['e', 'TEXTAREA'],
    ['c', 'INPUT'],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('dialog').waitFor()
    await expect.poll(focused).toBe(field)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(focused).toBe(isWide ? 'A transfer.settled' : 'H2 evt_refused_9')
  }
  await page.keyboard.press('Escape')
  await expect.poll(focused).toBe('A transfer.settled')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Replay…/ }).press('Enter')
  await page.keyboard.type('the ledger is back')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  // The button is gone with the state of the event.
  await page.getByRole('button', { name: /^Replay…/ }).waitFor({ state: 'detached' })
  await expect.poll(focused).toBe('H2 evt_refused_9')
  await page.keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Event' }).waitFor({ state: 'detached' })
  // The event has left the list with its state.
  await expect.poll(focused).toBe('H1 Events')
})
