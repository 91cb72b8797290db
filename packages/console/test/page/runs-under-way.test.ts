import { setTimeout } from 'node:timers/promises'
import { it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it.each([
  ['#/operations', '**/api/runs?*'],
  ['#/operations/{run}', '**/api/runs/run-*'],
])('%s follows a run without a mark of the server, also with slow answers', async (hash, requests) => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const plan = await receiver.plan({ action: 'discard', where: { type: 'transfer.settled' } })
  const page = await openConsole(await mount(inbox), { hash: '#/audits' })
  await page.getByRole('heading', { level: 1, name: 'Audits' }).waitFor()
  await page.route('**/api/stream', (route) => route.abort())
  await page.route(requests, async (route) => {
    await setTimeout(1200)
    await route.continue()
  })
  const run = await receiver.run(plan, { reason: 'a test', actor: 'Anna', perSecond: 0.001 })
  await page.goto(page.url().replace('#/audits', hash.replace('{run}', run.id)))
  await page.reload()
  await page.getByText('Running', { exact: true }).waitFor()
  await run.cancel({ reason: 'a test', actor: 'Anna' })
  await page.getByText('Cancelled', { exact: true }).first().waitFor()
})
