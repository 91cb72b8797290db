import { expect, it } from 'vitest'
import { findings, keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('shows before an operation how many events each cause has', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    hash: '#/operations/new?state=dead&action=replay',
  })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('heading', { name: 'Those that failed, by cause' }).waitFor()
  const causes = page.getByRole('region', { name: 'Preview' }).getByRole('listitem')
  expect(await causes.allInnerTexts()).toEqual([
    expect.stringMatching(/^Error: the ledger answered .*: 12$/),
    expect.stringMatching(/^TypeError: .*: 2$/),
  ])
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'preview-causes')
  await causes.getByRole('link', { name: /^TypeError/ }).click()
  await page.getByRole('complementary', { name: 'Cause' }).getByText('TypeError').first().waitFor()
})

it('warns before an operation that another one on the same cause has not ended', async () => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const group = (await receiver.inspect('evt_refused_1'))?.group as string
  const plan = await receiver.plan({ action: 'discard', where: { group } })
  const run = await receiver.run(plan, { reason: 'known', actor: 'Anna', perSecond: 0.001 })
  const page = await openConsole(await mount(inbox), {
    hash: `#/operations/new?action=replay&group=${encodeURIComponent(group)}`,
  })
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview
    .getByText(
      /^Another operation that may change the same events has not ended: Discard 12 events by Anna, started .*\. Running\.$/,
    )
    .waitFor()
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'preview-under-way')
  await preview.getByRole('link', { name: 'Discard 12 events' }).click()
  await page.getByText(run.id).waitFor()
})
