import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

const other = (id: string, type: string) =>
  JSON.stringify({ id, type, created_at: '2026-01-01T00:00:00Z', data: { amount: 88 } })

it('says that the stored event of a quarantined delivery is done, and offers no check that cannot help', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.settled', { amount: 8 }, 'evt_1')
  await inbox.until(({ done }) => done === 1)
  await inbox.sendRaw(other('evt_1', 'transfer.settled'))
  const page = await openConsole(await mount(inbox), { hash: '#/quarantine' })
  await page.getByRole('link', { name: 'event_id_conflict', exact: true }).click()
  const pane = page.getByRole('complementary', { name: 'Delivery' })
  await pane.getByText(/^The stored event evt_1 was done (now|[\d.]+ \S+ ago)\./).waitFor()
  await pane.getByText('An event with this id and other content was received before.').waitFor()
  expect(await pane.getByRole('button', { name: /^Verify again/ }).count()).toBe(0)
  await pane.getByRole('button', { name: 'Discard…' }).waitFor()
})

it('mentions a quarantined delivery before an edit and before a change of many events', async () => {
  const inbox = await openInbox()
  for (const id of ['evt_1', 'evt_2']) {
    await inbox.send('transfer.failed', { amount: 8 }, id)
  }
  await inbox.until(({ dead }) => dead === 2)
  await inbox.sendRaw(other('evt_1', 'transfer.failed'))
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/events/evt_1' })
  await page.getByRole('button', { name: /^Edit and replay/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByText(
      'A delivery with the same id and other content is in quarantine. Compare it with this event first.',
    )
    .waitFor()
  await page.keyboard.press('Escape')
  for (const action of ['replay', 'discard']) {
    await page.goto(`${url}/#/operations/new?state=dead&action=${action}`)
    await page.reload()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText(/^1 of these events has another delivery with the same id in quarantine\./).waitFor()
  }
  await page.goto(`${url}/#/operations/new?state=dead&action=discard&type=other.*`)
  await page.reload()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('No event matches.', { exact: false }).waitFor()
  expect(await page.getByText('in quarantine', { exact: false }).count()).toBe(0)
})
