import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox, openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

it('leads from a cause to its quarantined deliveries', async () => {
  const inbox = await openFilledInbox()
  await inbox.sendRaw(JSON.stringify({ id: 'evt_undated', type: 'transfer.settled', data: {} }))
  await inbox.until(({ quarantined }) => quarantined === 2)
  const page = await openConsole(await mount(inbox), { hash: '#/failures/payments%3Ainvalid_json' })
  const pane = page.getByRole('complementary', { name: 'Cause' })
  await pane.getByRole('link', { name: 'Show the quarantined deliveries' }).click()
  const causes = page.getByRole('navigation', { name: 'Filter by cause' })
  const chosen = () => causes.locator('[aria-current]').allInnerTexts()
  await expect.poll(chosen).toEqual(['invalid_json 1'])
  const rows = page.locator('.list tbody tr')
  await rows.first().waitFor()
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('invalid_json')])
  await page.getByRole('link', { name: 'invalid_json', exact: true }).click()
  await causes.getByRole('link', { name: 'invalid_envelope 1' }).click()
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('invalid_envelope')])
  await causes.getByRole('link', { name: 'All' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  expect(await chosen()).toEqual(['All'])
})

it('does not lead to an example that is no longer in quarantine', async () => {
  const inbox = await openFilledInbox()
  const [delivery] = await inbox.receiver.quarantined()
  const page = await openConsole(await mount(inbox), { hash: '#/failures/payments%3Ainvalid_json' })
  const pane = page.getByRole('complementary', { name: 'Cause' })
  const link = pane.getByRole('link', { name: delivery?.key as string })
  await link.waitFor()
  expect(await pane.getByRole('link', { name: 'Show the events' }).count()).toBe(0)
  await inbox.receiver.discard(delivery?.key as string, { reason: 'a test', actor: 'operator 2' })
  await pane.getByText('The example is no longer in quarantine: it was released or discarded.').waitFor()
  expect(await link.count()).toBe(0)
  expect(await pane.getByRole('link', { name: 'Show the quarantined deliveries' }).count()).toBe(0)
})

it('leads from an id to its delivery in quarantine, from the search and from the page of an event', async () => {
  const inbox = await openInbox()
  await inbox.sendRaw(
    '{"id":"evt_inexact","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":12345678901234567890}}',
  )
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/events' })
  await page.getByRole('textbox', { name: 'id' }).fill('evt_inexact')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('No event matches.').waitFor()
  const link = page.getByRole('link', { name: 'A delivery with this id' })
  const delivery = page.getByRole('complementary', { name: 'Delivery' })
  await link.click()
  await delivery.getByText('invalid_data', { exact: true }).first().waitFor()
  await delivery.getByText('12345678901234567890').first().waitFor()
  await page.goto(`${url}/#/events/evt_inexact`)
  await page.getByText('No event has this id.').waitFor()
  expect(await page.getByRole('complementary').getByText('Cannot read').count()).toBe(0)
  await link.click()
  await delivery.getByText('12345678901234567890').first().waitFor()
})

it('shows a discard, its undo, and the delivery in quarantine with the same id', async () => {
  const inbox = await openFilledInbox()
  await inbox.sendRaw(
    '{"id":"evt_dead","type":"transfer.failed","created_at":"2026-01-01T00:00:00Z","data":{"amount":88}}',
  )
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/events/evt_dead' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  const link = page.getByRole('link', { name: 'A delivery with this id' })
  const dialog = page.getByRole('dialog')
  const beside = 'A delivery with the same id and other content is in quarantine.'
  await link.waitFor()
  for (const name of [/^Replay…/, 'Discard…']) {
    await pane.getByRole('button', { name }).click()
    await dialog.getByText(beside, { exact: false }).waitFor()
    await page.keyboard.press('Escape')
  }
  await pane.getByRole('button', { name: 'Discard…' }).click()
  await dialog.getByText('You can undo this for 10 minutes. The sender got its 200').waitFor()
  await dialog.getByRole('textbox').fill('sent twice')
  await dialog.getByRole('button', { name: 'Discard 1' }).click()
  await pane.getByText('Discarded', { exact: true }).waitFor()
  await pane.getByRole('button', { name: 'Undo…' }).waitFor()
  await link.waitFor()
  await page.goto(`${url}/#/quarantine`)
  await page.getByRole('complementary', { name: 'Undo' }).getByRole('button', { name: 'Undo…' }).waitFor()
  await page.goto(`${url}/#/events?id=evt_dead`)
  await page.getByText('No event matches.').waitFor()
  await page.getByText('Discarded:').getByRole('link', { name: 'evt_dead' }).click()
  await pane.getByRole('button', { name: 'Undo…' }).waitFor()
})
