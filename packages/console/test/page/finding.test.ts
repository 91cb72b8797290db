import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { openFilledInbox } from '../rig.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

it('finds by the form, and the address is the view', async () => {
  const url = await mount(await openFilledInbox())
  const page = await openConsole(url, { hash: '#/events' })
  await page.getByRole('textbox', { name: 'type' }).fill('transfer.set*')
  await page.getByRole('textbox', { name: 'type' }).fill('transfer.settled')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('1 event, and no older ones.').waitFor()
  expect(page.url()).toBe(`${url}/#/events?type=transfer.settled`)
  const other = await openConsole(url, { hash: '#/events?type=transfer.settled' })
  await other.getByText('1 event, and no older ones.').waitFor()
  await other.getByRole('link', { name: 'Show all' }).click()
  await other.getByText('2 events, and no older ones.').waitFor()
})

it('finds by a field of the body, beside another condition', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events?state=dead' })
  await page.getByText('14 events, and no older ones.').waitFor()
  await page.getByText('More conditions').click()
  await page.getByRole('textbox', { name: /^A field of the body/ }).fill('data.transferId:tr_3')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('1 event, and no older ones. The search has read 14 events.').waitFor()
  await page.getByText('Act on all that match: not possible by body.').waitFor()
  expect(new URL(page.url()).hash).toBe('#/events?body=data.transferId%3Atr_3&state=dead')
})

it.each([
  ['#/events', 1280],
  ['#/events', 360],
  ['#/events/evt_refused_1', 1600],
])('has room for a field of the body: %s, %i pixels wide', async (hash, width) => {
  const viewport = { width, height: 800 }
  const page = await openConsole(await mount(await openBusyInbox()), { hash, viewport })
  await page.getByText('More conditions').click()
  const field = await page.getByRole('textbox', { name: /^A field of the body/ }).boundingBox()
  expect(field?.width).toBeGreaterThan(300)
})

it('says that a search finds no masked value', async () => {
  const url = await mount(await openBusyInbox(), { mask: ['data.transferId'] })
  const page = await openConsole(url, { hash: '#/events?state=dead&body=data.transferId:tr_3' })
  await page.getByText('The search has read 14 events. A search finds no masked value.').waitFor()
})

it('saves a view in the browser, and opens and removes it', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { hash: '#/events?state=dead' })
  const views = page.locator('[data-menu=views] > summary')
  await views.click()
  await page.getByRole('button', { name: 'Save or remove…' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('my dead ones')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.goto(`${url}/#/events`)
  await page.reload()
  await views.click()
  await page.getByRole('button', { name: 'my dead ones' }).click()
  expect(new URL(page.url()).hash).toBe('#/events?state=dead')
  await views.click()
  await page.getByRole('button', { name: 'Save or remove…' }).click()
  await page.getByRole('button', { name: 'Remove my dead ones' }).click()
  await page.getByRole('list', { name: 'Saved views' }).waitFor({ state: 'detached' })
})

it('says that a search by id or by a field needs the whole value, and offers the next best', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { hash: '#/events?id=evt_refused&type=transfer.settled' })
  await page.getByText('No event matches.').waitFor()
  await page.getByText('An id is found only by its whole value. A part of it finds nothing.').waitFor()
  expect(await page.getByRole('textbox', { name: 'id' }).getAttribute('placeholder')).toBe('the whole id')
  await page.getByRole('link', { name: 'The other conditions without it' }).click()
  await page.getByText('36 events, and no older ones.').waitFor()
  expect(new URL(page.url()).hash).toBe('#/events?type=transfer.settled')
  await page.goto(`${url}/#/events?state=dead&body=data.transferId:tr`)
  await page.getByText('A field of the body is found only by its whole value.').waitFor()
  await page.getByRole('textbox', { name: /^A field of the body with its whole value/ }).waitFor()
  await page.getByRole('link', { name: 'All events of the last hour' }).click()
  await page.getByText(/^\d+ events, and no older ones/).waitFor()
  expect(new URL(page.url()).hash).toMatch(/^#\/events\?since=[^&]+$/)
})

it('names a view by a description of its conditions', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), {
    hash: '#/events?state=failed&type=payout.returned&resource=po_1',
  })
  await page.getByText('Views', { exact: true }).click()
  await page.getByRole('button', { name: 'Save or remove…' }).click()
  const name = page.getByRole('textbox', { name: 'A name for this view', exact: true })
  expect(await name.inputValue()).toBe('Failed, payout.returned, resource po_1')
  await page.keyboard.press('Escape')
  await page.goto(`${page.url().replace(/#.*/, '')}#/events`)
  await page.getByText('Views', { exact: true }).click()
  await page.getByRole('button', { name: 'Save or remove…' }).click()
  expect(await name.inputValue()).toBe('All events')
})

it('a state and a change of all that match use what is typed and not yet applied', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { hash: '#/events' })
  const type = page.getByRole('textbox', { name: 'type' })
  const hash = () => new URL(page.url()).hash
  await type.fill('transfer.settled')
  await page.getByRole('navigation', { name: 'Filter by state' }).getByRole('link', { name: 'Dead' }).click()
  await page.getByText('12 events, and no older ones.').waitFor()
  expect(hash()).toBe('#/events?type=transfer.settled&state=dead')
  await page.getByText('More conditions').click()
  await page.getByRole('textbox', { name: 'Resource' }).fill('tr_3')
  await page.getByRole('link', { name: 'Act on all that match…' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText(/^1 event matches\./).waitFor()
  expect(hash()).toBe('#/operations/new?state=dead&type=transfer.settled&resource=tr_3')
  await page.goBack()
  await page.getByText('1 event, and no older ones.').waitFor()
  await page.getByRole('searchbox').fill('the ledger')
  await page.getByText('Act on all that match: not possible by text.').waitFor()
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.getByText(/^66 events/).waitFor()
  expect([await page.getByRole('searchbox').inputValue(), await type.inputValue()]).toEqual(['', ''])
})

it('offers to look for the id or the resource where no error has the text', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events?text=evt_settled_3' })
  await page.getByText('Search evt_settled_3 as id or resource').waitFor()
  await page.getByRole('link', { name: 'id', exact: true }).click()
  await page.getByText('1 event, and no older ones.').waitFor()
})
