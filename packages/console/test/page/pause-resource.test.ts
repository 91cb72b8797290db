import { expect, it } from 'vitest'
import { keepPicture, pixelsBeyond, useBrowser } from 'webhook-inbox-ui/browser'
import { type Inbox, openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

const ofTransfer = { resource: ({ data }: { data: { transferId?: string } }) => data.transferId }

async function openWithResource(): Promise<Inbox> {
  const inbox = await openInbox(undefined, { async 'ledger.noted'() {} }, undefined, ofTransfer)
  await inbox.send('ledger.noted', { transferId: 'tr_1' }, 'evt_1')
  await inbox.until(({ done }) => done === 1)
  return inbox
}

it('pauses and resumes a resource on the page of its event, and says who did', async () => {
  const inbox = await openWithResource()
  const url = await mount(inbox)
  const page = await openConsole(url, { hash: '#/events/evt_1' })
  const [dialog, life] = [page.getByRole('dialog'), page.locator('dl.life')]
  await life.getByRole('button', { name: 'Pause this resource…' }).click()
  await dialog.getByRole('heading', { name: 'Pause resource tr_1' }).waitFor()
  await dialog.getByRole('textbox').fill('the bank asks')
  await dialog.getByRole('button', { name: 'Pause this resource' }).click()
  await life.getByText(/^Paused by operator, .+: the bank asks$/).waitFor()
  await inbox.send('ledger.noted', { transferId: 'tr_1' }, 'evt_2')
  await keepPicture(page, 'resource-paused')
  expect(await inbox.receiver.paused()).toMatchObject([{ resource: 'tr_1', reason: 'the bank asks' }])
  await page.goto(`${url}/#/overview`)
  await page.getByText('Paused: resource tr_1 by operator').waitFor()
  await page.goto(`${url}/#/events/evt_2`)
  await life.getByRole('button', { name: 'Resume this resource…' }).click()
  await dialog.getByRole('textbox').fill('the bank is done')
  await dialog.getByRole('button', { name: 'Resume this resource' }).click()
  await life.getByRole('button', { name: 'Pause this resource…' }).waitFor()
  await inbox.until(({ done }) => done === 2)
})

it('does not offer it without the right, and does not pause what a mask hides', async () => {
  const inbox = await openWithResource()
  await inbox.receiver.pause({ resource: 'tr_1' }, { reason: 'the bank asks', actor: 'operator 2' })
  const reader = await mount(inbox, { authorize: (_, action) => action.endsWith('events:read') })
  const masked = await mount(inbox, { mask: ['data.transferId'] })
  for (const [url, resource] of [
    [reader, 'tr_1'],
    [masked, '•••'],
  ] as const) {
    const page = await openConsole(url, { hash: '#/events/evt_1' })
    await page.locator('dl.life').getByText(resource, { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /this resource/ }).count()).toBe(0)
  }
})

it('pauses a resource in the dialog, and asks about one that no event has', async () => {
  const inbox = await openWithResource()
  const page = await openConsole(await mount(inbox), { viewport: { width: 360, height: 740 } })
  const dialog = page.getByRole('dialog')
  for (const resource of ['tr_1', 'tr_9']) {
    await page.getByRole('button', { name: 'Pause…' }).click()
    await dialog.getByRole('radio', { name: 'One resource' }).check()
    const field = dialog.getByRole('textbox', { name: 'Resource, exactly as your receiver names it' })
    await dialog.getByText('Write a resource of 1 to 512 characters.').waitFor()
    await field.fill(resource)
    await dialog.getByRole('textbox', { name: /^Why/ }).fill('the bank asks')
    const take = dialog.getByRole('checkbox', { name: 'The spelling is right: pause this resource' })
    const button = dialog.getByRole('button', { name: 'Pause this resource' })
    if (resource === 'tr_9') {
      await dialog.getByText('No event of this resource is known here. Check the spelling.').waitFor()
      expect(await button.isDisabled()).toBe(true)
      await keepPicture(page, 'pause-dialog-resource-phone')
      expect(await pixelsBeyond(page)).toBeLessThanOrEqual(0)
      await take.check()
    }
    await button.click()
    await page.getByText(`Paused: resource ${resource} by operator`).waitFor()
  }
  expect((await inbox.receiver.paused()).map(({ resource }) => resource)).toEqual(['tr_1', 'tr_9'])
})

it('does not say that a resource has no event if its events cannot be read', async () => {
  const inbox = await openWithResource()
  const url = await mount(inbox, { authorize: (_, action) => action !== 'events:read' })
  const page = await openConsole(url)
  await page.getByRole('button', { name: 'Pause…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'One resource' }).check()
  await dialog.getByRole('textbox', { name: /^Resource/ }).fill('tr_1')
  await dialog.getByText('Its events cannot be read. Check the spelling.').waitFor()
})
