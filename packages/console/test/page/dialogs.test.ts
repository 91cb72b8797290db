import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, openInbox } from '../rig.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

const other = { reason: 'known', actor: 'operator 2' }

it('a dialog stays open while another operator discards the event, and keeps what is written', async () => {
  const inbox = await openFilledInbox()
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').pressSequentially('the rail ')
  await inbox.receiver.discard('evt_dead', other)
  await page.getByText(/^Discarded .* by operator 2\./).waitFor()
  await dialog.getByRole('textbox').pressSequentially('is back')
  expect(await dialog.getByRole('textbox').inputValue()).toBe('the rail is back')
  expect(new URL(page.url()).hash).toBe('#/events/evt_dead')
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await dialog
    .getByText(/There is no event with this id\. It was discarded at .* by operator 2: known\./)
    .waitFor()
})

it('a copy waits for the redaction of what was typed, and names a path that hides nothing', async () => {
  const page = await openConsole(await mount(await openFilledInbox()), { hash: '#/events/evt_dead' })
  await page.getByRole('button', { name: /^Copy as…/ }).click()
  const dialog = page.getByRole('dialog')
  const copy = dialog.getByRole('button', { name: 'Copy', exact: true })
  await copy.waitFor()
  await dialog.getByRole('textbox').fill('data.transferId, data.fone')
  expect(await copy.isDisabled()).toBe(true)
  await dialog.getByText('Press Redact first.').waitFor()
  await dialog.getByRole('button', { name: 'Redact' }).click()
  await dialog.getByText('The body has nothing to redact at data.fone.').waitFor()
  expect(await copy.isDisabled()).toBe(false)
  expect(await dialog.getByText('tr_1').count()).toBe(0)
})

it('warns before done events run again, and offers a canary only where events run', async () => {
  const inbox = await openBusyInbox()
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/operations/new?state=done' })
  await page.getByText('Their handlers run a second time.').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('spinbutton', { name: 'First, as a canary' }).waitFor()
  await page.goto(`${url}/#/operations/new?state=dead&action=discard`)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: /^Discard \d+ events$/ }).waitFor()
  expect(await page.getByRole('spinbutton', { name: 'First, as a canary' }).count()).toBe(0)
  expect(await page.getByText('Their handlers run a second time.').count()).toBe(0)
})

it('an edited copy and its dead original name each other', async () => {
  const handlers = {
    async 'payout.returned'({ data: { isBad } }: never) {
      if (isBad) {
        throw new Error('it is bad')
      }
    },
  }
  const inbox = await openInbox(undefined, handlers, { attempts: 1 })
  await inbox.send('payout.returned', { isBad: true }, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  const text = new TextDecoder().decode((await inbox.receiver.inspect('evt_dead'))?.body)
  const id = await inbox.receiver.replayEdited('evt_dead', { body: text.replace('true', 'false') }, other)
  await inbox.until(({ done }) => done === 1)
  const page = await openConsole(await mount(inbox), { hash: `#/events/${id}` })
  const note = page.getByText('The event that it was copied from is still dead:')
  await note.getByRole('link', { name: 'evt_dead' }).click()
  await page.getByText('An edited copy was run:').getByRole('link', { name: id }).waitFor()
  await page.getByRole('button', { name: /^Replay…/ }).click()
  await page.getByText('An edited copy of it was run. This runs the original as well.').waitFor()
  await page.keyboard.press('Escape')
  await page.goBack()
  await note.waitFor()
  await inbox.receiver.discard('evt_dead', other)
  await note.waitFor({ state: 'detached' })
})

it('another view closes the dialog of this one, and the result of an act names its event', async () => {
  const inbox = await openBusyInbox()
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/events/evt_refused_1' })
  const dialog = page.getByRole('dialog')
  const pane = page.getByRole('complementary', { name: 'Event' })
  const open = async (hash: string) => {
    await page.evaluate((to) => {
      location.hash = to
    }, hash)
  }
  for (const key of ['r', 'e', 'c']) {
    await open('#/events/evt_refused_1')
    await pane.getByRole('heading', { name: 'evt_refused_1' }).waitFor()
    await open('#/events/evt_refused_2')
    await pane.getByRole('heading', { name: 'evt_refused_2' }).waitFor()
    await pane.getByRole('button', { name: /^Replay…/ }).waitFor()
    await page.keyboard.press(key)
    await dialog.waitFor()
    await page.goBack()
    await pane.getByRole('heading', { name: 'evt_refused_1' }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  }
  await pane.getByRole('link', { name: 'All of this cause' }).click()
  await page.getByRole('button', { name: 'Resolve…' }).click()
  await dialog.waitFor()
  await page.goBack()
  await pane.getByRole('heading', { name: 'evt_refused_1' }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await pane.getByRole('button', { name: /^Replay…/ }).click()
  await dialog.getByRole('textbox').fill('the rail is back')
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await page.getByText('evt_refused_1 runs again.').waitFor()
})

it('says what became of an act whose dialog was closed by another view', async () => {
  const inbox = await openBusyInbox()
  let go = () => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  const authorize = async (_: unknown, action: string) => {
    if (action === 'events:replay' && isHeld) {
      await held
      return false
    }
    return true
  }
  let isHeld = false
  const page = await openConsole(await mount(inbox, { authorize }), { hash: '#/events/evt_refused_1' })
  await page.getByRole('button', { name: /^Replay…/ }).click()
  isHeld = true
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('the rail is back')
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await page.evaluate(() => {
    location.hash = '#/events/evt_refused_2'
  })
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Discard…' }).click()
  go()
  await page.getByText('Replay evt_refused_1: This needs the right events:replay.').waitFor()
  expect(await dialog.getAttribute('aria-label')).toBe('Discard evt_refused_2')
})

it.each([360, 1280])('wraps a long id in the title of a dialog, %i pixels wide', async (width) => {
  const inbox = await openInbox()
  const id = `evt_${'x'.repeat(240)}`
  await inbox.sendRaw(
    JSON.stringify({ id, type: 'y'.repeat(240), created_at: '2026-01-01T00:00:00Z', data: {} }),
  )
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), {
    hash: `#/events/${id}`,
    viewport: { width, height: 800 },
  })
  await page.getByRole('button', { name: 'Discard…' }).click()
  for (const part of [page.getByRole('dialog'), page.locator('.pane')]) {
    expect(await part.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)
  }
  const close = await page.getByRole('dialog').getByRole('button', { name: 'Close' }).boundingBox()
  const title = await page.getByRole('dialog').getByRole('heading').boundingBox()
  // On a line with the title, and not below it.
  expect(close?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0))
})

it('opens an edit at its beginning on a phone, and writes into the body', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.failed', { lines: Array.from({ length: 40 }, (_, at) => at) }, 'evt_long')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.receiver.pause({}, other)
  const page = await openConsole(await mount(inbox), {
    hash: '#/events/evt_long',
    viewport: { width: 360, height: 640 },
  })
  await page.getByRole('button', { name: /^Edit and replay…/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Everything of this endpoint is paused', { exact: false }).waitFor()
  const body = dialog.getByRole('textbox', { name: /^Body/ })
  await page.waitForFunction(() => document.activeElement?.matches('dialog textarea'))
  expect(await dialog.evaluate((each) => each.scrollTop)).toBe(0)
  await page.keyboard.press('x')
  expect(await body.inputValue()).toMatch(/^x|x$/)
})
