import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import type { Pause } from 'webhook-inbox'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, openInbox, sqliteFile } from '../rig.js'
import { addSilentType, mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('pauses and resumes everything, and says why an event waits', async () => {
  const inbox = await openFilledInbox()
  const url = await mount(inbox)
  const page = await openConsole(url)
  await page.getByRole('button', { name: 'Pause…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the bank is closed')
  const audit = { reason: 'a release', actor: 'operator 2' }
  await inbox.receiver.pause({}, audit)
  await page.getByRole('dialog').getByText('Paused by operator 2', { exact: false }).waitFor()
  await inbox.receiver.resume({}, audit)
  await page.getByRole('button', { name: 'Pause everything' }).click()
  await page.getByText('the bank is closed').waitFor()
  await page.getByRole('heading', { name: /^Everything is paused/ }).waitFor()
  await page.locator('.top').getByTitle('Everything is paused').waitFor()
  await page.getByRole('link', { name: 'all paused' }).waitFor()
  await inbox.send('transfer.settled', {}, 'evt_waits')
  const other = await openConsole(url, { hash: '#/events/evt_waits' })
  const { sentence, pause } = (await inbox.receiver.explain('evt_waits')) as {
    sentence: string
    pause: Pause
  }
  const words = other.locator('.note', { hasText: 'Event evt_waits waits because' })
  await words.waitFor()
  expect(sentence).toContain(` at ${pause.pausedAt}: `)
  expect(await words.textContent()).toMatch(
    /^Event evt_waits waits because operator paused the endpoint payments (?:now|\d+ s ago): the bank is closed\./,
  )
  expect(await words.locator('time').getAttribute('datetime')).toBe(pause.pausedAt)
  await page.getByRole('button', { name: 'Resume…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('it is open again')
  await page.getByRole('button', { name: 'Resume everything' }).click()
  await page.getByRole('button', { name: 'Pause…' }).waitFor()
  await inbox.until(({ done }) => done === 2)
})

it('retries one event now, and gives it up', async () => {
  const inbox = await openBusyInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_returned_1' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  await pane.getByText('It failed once, and is retried.').waitFor()
  await pane.getByRole('button', { name: 'Retry now…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the rail is back')
  await page.getByRole('button', { name: 'Retry now 1' }).click()
  await page.getByText('evt_returned_1: Due now: 1 of 1.').waitFor()
  await pane.getByText('2 times').first().waitFor()

  await pane.getByRole('button', { name: 'Give up…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('the payout was paid by hand')
  await page.getByRole('button', { name: 'Give up 1' }).click()
  await pane.getByText('Dead').waitFor()
  await pane.getByText(/^It was given up, and does not run again/).waitFor()
  const note = pane.locator('.note', { hasText: 'Given up by operator' })
  expect(await note.textContent()).toMatch(/^Given up by operator .+: the payout was paid by hand/)
  expect(await note.getAttribute('data-outcome')).toBe('canceled')
  expect(await pane.locator('.note[data-outcome=failed]').count()).toBe(0)
})

it('says of a running event since when and where it runs, and offers nothing that cannot help', async () => {
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
  const note = page.locator('.pane .note')
  const text =
    /is running now: its handler started (now|[\d.]+ \S+ ago) in the process \S+:\d+\. If that process ends/
  await note.getByText(text).waitFor()
  expect(await note.textContent()).not.toMatch(/claim|lease/)
  await page.getByRole('button', { name: 'Copy as…' }).waitFor()
  expect(
    await page.getByRole('button', { name: /^(Give up|Retry now|Edit and replay|Discard)/ }).count(),
  ).toBe(0)
  end()
  await page.locator('.pane .pill').getByText('Done', { exact: true }).waitFor()
})

it('does not call an event running while no process reports', async () => {
  const { store, file } = await sqliteFile()
  let end = () => {}
  const running = {
    'payout.returned': () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  }
  const inbox = await openInbox(async () => store, running)
  onTestFinished(() => end())
  await inbox.send('payout.returned', {}, 'evt_payout')
  await expect.poll(async () => (await inbox.receiver.explain('evt_payout')).reason).toBe('running')
  // As after the freeze of the process: its last report is old.
  const database = new Libsql(file)
  database.exec('UPDATE webhook_inbox_workers SET seen_at = seen_at - 50000')
  database.close()
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/events/evt_payout' })
  await page
    .getByText(/may not run any more: its handler started .+ No process has reported for 45 s\./)
    .waitFor()
  await page.locator('.pane .pill').getByText('Stalled', { exact: true }).waitFor()
  expect(await page.getByText('Running', { exact: true }).count()).toBe(0)
  await page.goto(`${url}/#/events`)
  await page.locator('.list tbody tr').getByText('its process does not report').waitFor()
  expect(await page.getByText('Running', { exact: true }).count()).toBe(0)
})

it('says until when a claim lasts, and when a circuit is tried again, as times that go on', async () => {
  let end = () => {}
  const handlers = {
    'payout.returned': () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
    async 'transfer.failed'() {
      throw new Error('the bank is away')
    },
  }
  const breaker = { breaker: { failures: 2, retryAfterSeconds: 3600 } }
  const inbox = await openInbox(undefined, handlers, { attempts: 9, firstPauseSeconds: 0.1 }, breaker)
  onTestFinished(() => end())
  const url = await mount(inbox)
  const sentences = {
    payout: /the event can run again in [\d.]+ (?:s|min)\./,
    failed: /runs as a trial in [\d.]+ (?:min|h)\./,
  }
  await inbox.send('payout.returned', {}, 'evt_payout')
  await inbox.send('transfer.failed', {}, 'evt_failed')
  await inbox.send('transfer.failed', {}, 'evt_failed_2')
  for (const [name, reason] of [
    ['payout', 'running'],
    ['failed', 'circuit_open'],
  ] as const) {
    await expect.poll(async () => (await inbox.receiver.explain(`evt_${name}`)).reason).toBe(reason)
    const page = await openConsole(url, { hash: `#/events/evt_${name}` })
    await page.getByText(sentences[name]).waitFor()
    expect(await page.locator('main .note').allInnerTexts()).not.toContainEqual(
      expect.stringMatching(/\d{4}-\d\d-\d\dT/),
    )
  }
})

it('pauses one type, also while everything is paused', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox))
  const dialog = page.getByRole('dialog')
  for (const type of ['transfer.failed', 'not.seen.yet']) {
    await page.getByRole('button', { name: 'Pause…' }).click()
    await dialog.getByRole('radio', { name: 'One type' }).check()
    const field = dialog.getByRole('combobox', { name: 'Type, exactly as it arrives' })
    expect(await field.inputValue()).toBe('')
    await dialog.locator('datalist option[value="transfer.failed"]').waitFor({ state: 'attached' })
    await dialog.getByRole('textbox').fill('the bank is closed')
    await dialog.getByText('Write a type of 1 to 512 characters.').waitFor()
    await field.fill('transfer.*')
    await dialog.getByText('Write one whole type. A pattern pauses nothing.').waitFor()
    await field.fill(type)
    const take = dialog.getByRole('checkbox', { name: 'The spelling is right: pause this type' })
    if (type === 'not.seen.yet') {
      await dialog.getByText('No event of this type is known here. Check the spelling.').waitFor()
      expect(await dialog.getByRole('button', { name: 'Pause this type' }).isDisabled()).toBe(true)
      await take.check()
      await field.fill('not.seen.yeti')
      expect(await take.isChecked()).toBe(false)
      await field.fill(type)
      await take.check()
    }
    expect(await take.count()).toBe(type === 'not.seen.yet' ? 1 : 0)
    await dialog.getByRole('button', { name: 'Pause this type' }).click()
    await page.getByText(`Paused: ${type} by operator`).waitFor()
    await inbox.receiver.pause({}, { reason: 'audit', actor: 'operator 2' })
    await page.getByText('Paused: everything by').waitFor()
  }
  expect((await inbox.receiver.paused()).map(({ type }) => type)).toEqual([
    'transfer.failed',
    undefined,
    'not.seen.yet',
  ])
  const notes = page.getByRole('region', { name: 'Pauses' }).locator('.note')
  expect(await notes.first().textContent()).toMatch(/^Paused: everything by/)
  expect(await notes.evaluateAll((all) => all.map((note) => note.dataset.outcome))).toEqual([
    ...['failed', 'quarantined', 'quarantined'],
  ])
  await page.getByRole('button', { name: 'Pause…' }).click()
  expect(await dialog.getByRole('radio', { name: 'Everything of this endpoint' }).isDisabled()).toBe(true)
})

it('does not call a type unknown where not all types are read', async () => {
  const { store, file } = await sqliteFile()
  const inbox = await openInbox(async () => store)
  for (let at = 0; at <= 500; at++) {
    addSilentType(file, `type.${at}`, 1)
  }
  const page = await openConsole(await mount(inbox))
  await page.getByRole('button', { name: 'Pause…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'One type' }).check()
  await dialog.getByRole('combobox').fill('type.99999')
  await dialog.getByText('which is not complete. Check the spelling.', { exact: false }).waitFor()
  expect(await dialog.getByText('No event of this type', { exact: false }).count()).toBe(0)
})
