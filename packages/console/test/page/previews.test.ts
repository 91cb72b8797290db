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

it('warns before a replay that later events of the same resource are done', async () => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const page = await openConsole(await mount(inbox), { hash: '#/operations/new?state=dead&action=replay' })
  const preview = page.getByRole('region', { name: 'Preview' })
  const later = preview.getByText('a later event of the same resource', { exact: false })
  await page.getByRole('button', { name: 'Preview' }).click()
  await preview.getByRole('button', { name: 'Replay 14 events' }).waitFor()
  expect(await later.count()).toBe(0)
  for (const at of [3, 4]) {
    await inbox.send('ledger.matched', { transferId: `tr_${at}` }, `evt_later_${at}`)
    await expect.poll(async () => (await receiver.inspect(`evt_later_${at}`))?.state).toBe('done')
  }
  await page.getByRole('radio', { name: /^Discard/ }).click()
  await page.getByRole('radio', { name: /^Replay/ }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await later.waitFor()
  expect(await later.textContent()).toBe(
    'Of these events, 2 have a later event of the same resource that is done. Each runs after that one, out of order.',
  )
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'preview-later-done')
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

it('asks again where another operation began after the preview, and names one that its canary stopped', async () => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const group = (await receiver.inspect('evt_refused_1'))?.group as string
  const audit = { reason: 'known', actor: 'Anna' }
  const stopped = await receiver.run(await receiver.plan({ action: 'replay', where: { group } }), {
    ...audit,
    canary: 1,
  })
  await expect.poll(async () => (await stopped.progress()).state).toBe('stopped')
  const page = await openConsole(await mount(inbox), {
    hash: `#/operations/new?action=replay&group=${encodeURIComponent(group)}`,
  })
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview
    .getByText(/can be continued: Replay 12 events by Anna, started .*\. Stopped by its canary\.$/)
    .waitFor()
  const plan = await receiver.plan({ action: 'discard', where: { group } })
  const other = await receiver.run(plan, { ...audit, perSecond: 0.001 })
  await expect.poll(async () => (await other.progress()).applied).toBe(1)
  await preview.getByRole('textbox').fill('the ledger is back')
  await preview.getByRole('button', { name: 'Replay 11 events' }).click()
  await preview.getByText(/has not ended: Discard 11 events by Anna/).waitFor()
  await preview.getByRole('alert').getByText('another operation began', { exact: false }).waitFor()
  expect(await findings(page)).toEqual([])
  await keepPicture(page, 'preview-asks-again')
  // It is a new preview: the other operation has discarded one of them.
  await preview.getByRole('button', { name: 'Replay 10 events' }).click()
  await page.getByRole('heading', { level: 1, name: 'Replay 10 events' }).waitFor()
})

it('warns before a stopped operation goes on beside another one', async () => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const audit = { reason: 'known', actor: 'Anna' }
  const where = { type: 'transfer.settled' }
  const stopped = await receiver.run(await receiver.plan({ action: 'replay', where }), {
    ...audit,
    canary: 1,
  })
  await expect.poll(async () => (await stopped.progress()).state).toBe('stopped')
  const page = await openConsole(await mount(inbox), { hash: `#/operations/${stopped.id}` })
  await page.getByRole('button', { name: 'Continue with the other' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('the ledger is back')
  await receiver.run(await receiver.plan({ action: 'discard', where }), { ...audit, perSecond: 0.001 })
  const go = dialog.getByRole('button', { name: 'Continue with the other' })
  await go.click()
  await dialog.getByRole('alert').getByText('another operation began', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Close and show it as it is now' }).click()
  await page.getByRole('button', { name: 'Continue with the other' }).click()
  await dialog.getByText(/has not ended: Discard \d+ events by Anna/).waitFor()
  await go.click()
  await page.getByText('It continues with the rest.').waitFor()
})
