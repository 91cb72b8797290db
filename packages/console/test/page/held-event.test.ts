import { expect, it } from 'vitest'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

const hangs = { 'statement.made': () => new Promise<void>(() => {}) }

it('says that a handler which timed out holds a dead event, and for how long', async () => {
  const over = { handlerTimeoutSeconds: 0.2, leaseSeconds: 60 }
  const inbox = await openInbox(undefined, hangs, undefined, over)
  await inbox.send('statement.made', {}, 'evt_hangs')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_hangs' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  await pane.getByText(/^A handler that timed out still holds it\. It can be changed in \d+ s\.$/).waitFor()
  await pane.getByRole('button', { name: /^Replay/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('the bank is back')
  await dialog.getByRole('button', { name: 'Replay 1' }).click()
  await dialog.getByText(/A handler that timed out still holds this event, for \d+ s\./).waitFor()
  await keepPicture(page, 'held-dead')
})

it('stops saying so when that handler has lost the event', async () => {
  const over = { handlerTimeoutSeconds: 0.2, leaseSeconds: 12 }
  const inbox = await openInbox(undefined, hangs, undefined, over)
  await inbox.send('statement.made', {}, 'evt_hangs')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_hangs' })
  const note = page.getByText(/^A handler that timed out still holds it/)
  await note.waitFor()
  await note.waitFor({ state: 'detached' })
})

it('names no next attempt of an event that runs', async () => {
  const over = { handlerTimeoutSeconds: 0.2, leaseSeconds: 60 }
  const inbox = await openInbox(undefined, hangs, { attempts: 3, firstPauseSeconds: 0.1 }, over)
  await inbox.send('statement.made', {}, 'evt_hangs')
  await inbox.until(({ failed }) => failed === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_hangs' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  await pane.getByText('Running', { exact: true }).waitFor()
  await pane.getByText(/, retry planned \d+ ms later$/).waitFor()
  expect(await pane.getByText('Next attempt').count()).toBe(0)
})

it('reads a running event again when its claim has ended', async () => {
  // The next attempt begins when the claim ends, one second after the time limit, and is told when it fails.
  const over = { handlerTimeoutSeconds: 5, leaseSeconds: 6 }
  const inbox = await openInbox(undefined, hangs, { attempts: 9, firstPauseSeconds: 0.1 }, over)
  await inbox.send('statement.made', {}, 'evt_hangs')
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_hangs' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  const claim = pane.getByText(/^Event .* is running now|^is running now/)
  await claim.waitFor()
  const seen: string[] = []
  // Longer than a claim and the next attempt.
  for (let i = 0; i < 65; i++) {
    seen.push(...(await pane.getByText(/can run again/).allInnerTexts()))
    await page.waitForTimeout(200)
  }
  expect(seen.length).toBeGreaterThan(0)
  // The page counts whole seconds, and reads the event again each second.
  expect(seen.filter((text) => /can run again [4-9] s ago/.test(text))).toEqual([])
})
