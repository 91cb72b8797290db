import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

const audit = { reason: 'the wrong one', actor: 'operator 2' }

it('says that an event was discarded or pruned, also if it came back then', async () => {
  const inbox = await openInbox()
  const { receiver } = inbox
  await inbox.send('transfer.failed', {}, 'evt_1')
  await inbox.send('transfer.failed', {}, 'evt_2')
  await inbox.until(({ dead }) => dead === 2)
  const plan = await receiver.plan({ action: 'replay' })
  await receiver.discard('evt_1', audit)
  const run = await receiver.run(plan, audit)
  await run.finished()
  await receiver.undo('evt_1', audit)
  expect(await receiver.inspect('evt_1')).toMatchObject({ state: 'dead' })
  const page = await openConsole(await mount(inbox), { hash: `#/operations/${run.id}` })
  await page.getByRole('cell', { name: 'it was discarded or pruned after the preview' }).waitFor()
})
