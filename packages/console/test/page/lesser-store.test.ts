import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { lesserStore, openInbox } from '../rig.js'
import { cell, mount, openConsole } from './scene.js'

useBrowser('console')

it('leaves out what the store cannot do', async () => {
  const inbox = await openInbox(lesserStore)
  await inbox.send('transfer.failed', {}, 'evt_dead')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events?state=dead' })
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await cell(page, 'transfer.failed').getByRole('link').click()
  await page.getByRole('complementary', { name: 'Event' }).getByRole('button', { name: 'Replay…' }).waitFor()
  expect(await pages.getByRole('link').allInnerTexts()).toEqual(['Overview', 'Events', 'Quarantine'])
  for (const name of [/^Act on all/, /^Edit/, 'Pause…']) {
    expect(await page.getByText(name).count()).toBe(0)
  }
  expect(await page.getByText('Cannot read').count()).toBe(0)
})
