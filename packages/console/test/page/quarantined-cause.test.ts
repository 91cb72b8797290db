import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

it('leads from a cause to its quarantined deliveries', async () => {
  const inbox = await openFilledInbox()
  await inbox.sendRaw(JSON.stringify({ id: 'evt_undated', type: 'transfer.settled', data: {} }))
  await inbox.until(({ quarantined }) => quarantined === 2)
  const page = await openConsole(await mount(inbox), { hash: '#/failures/payments%3Ainvalid_json' })
  const pane = page.getByRole('complementary', { name: 'Cause' })
  await pane.getByRole('link', { name: 'Show the quarantined deliveries' }).click()
  await page.getByText('Only the deliveries with the cause invalid_json.').waitFor()
  const rows = page.locator('.list tbody tr')
  await rows.first().waitFor()
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('invalid_json')])
  await page.getByRole('link', { name: 'invalid_json' }).click()
  await page.getByRole('link', { name: 'Show all of them' }).click()
  await page.getByRole('link', { name: 'invalid_envelope' }).waitFor()
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
