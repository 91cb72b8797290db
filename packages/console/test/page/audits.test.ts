import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

/** Twelve events that a run replays, and one change with a reason that a spreadsheet would run. */
async function openAudited() {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const audit = { reason: '=HYPERLINK("http://example.com")', actor: 'Ada, "the first"' }
  await receiver.pause({ type: 'ledger.matched' }, audit)
  const plan = await receiver.plan({ action: 'discard', where: { type: 'transfer.settled' } })
  const run = await receiver.run(plan, { reason: 'refused', actor: 'Ben', perSecond: 1000 })
  await run.finished()
  return openConsole(await mount(inbox), { hash: '#/audits' })
}

const actors = (page: Page) => page.locator('.audits .who-did').allInnerTexts()

it('shows an operation as one line, with its events on demand', async () => {
  const page = await openAudited()
  const table = page.getByRole('table', { name: 'Who did what' })
  await table.getByText('discard 12 events').waitFor()
  expect(await actors(page)).toEqual(['Ben', 'Ada, "the first"'])
  await table.getByRole('link', { name: 'each event' }).click()
  await table.getByText('evt_refused_3').waitFor()
  expect(await actors(page)).toHaveLength(12)
  await page.getByRole('link', { name: 'Show all' }).click()
  await table.getByText('discard 12 events').waitFor()
  await table.getByRole('link', { name: 'in an operation' }).click()
  await page.getByText('Discarded: 12 of 12.').waitFor()
})

it('names what each change was of, in the words of the page', async () => {
  const inbox = await openBusyInbox()
  const { receiver } = inbox
  const audit = { reason: 'a test', actor: 'Ben' }
  await receiver.pause({}, audit)
  await receiver.resume({}, audit)
  const [cause] = await receiver.failures()
  await receiver.acknowledgeGroup(cause?.group ?? '', audit)
  const plan = await receiver.plan({ action: 'giveUp' })
  const run = await receiver.run(plan, { ...audit, perSecond: 0.001 })
  await run.cancel(audit)
  const body = new TextDecoder().decode((await receiver.inspect('evt_reshaped_1'))?.body)
  await receiver.replayEdited('evt_reshaped_1', { body }, audit)
  const page = await openConsole(await mount(inbox), { hash: '#/audits' })
  const did = page.locator('.audits tbody td:nth-child(3)')
  await did.first().waitFor()
  const words = (await did.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
  expect(words).toEqual([
    expect.stringMatching(/^replay edited evt_\S+ from evt_reshaped_1$/),
    'cancel an operation',
    ...words.slice(2, -3),
    expect.stringMatching(/^acknowledge cause /),
    'resume everything of the endpoint',
    'pause everything of the endpoint',
  ])
  await page.getByRole('link', { name: 'evt_reshaped_1', exact: true }).click()
  await page.getByRole('heading', { name: 'evt_reshaped_1' }).waitFor()
})

it('filters, and the filter is the address', async () => {
  const page = await openAudited()
  const form = page.locator('.audit-filter')
  await form.getByLabel('Who').fill('ada')
  await form.getByRole('button', { name: 'Find' }).click()
  await page.waitForURL(/#\/audits\?actor=ada$/)
  await page.getByText('HYPERLINK').waitFor()
  await expect.poll(() => actors(page)).toEqual(['Ada, "the first"'])
  await form.getByLabel('What').selectOption('resolve cause')
  await form.getByRole('button', { name: 'Find' }).click()
  await page.waitForURL(/#\/audits\?actor=ada&action=resolveGroup$/)
  await page.getByText('No change matches. Remove a condition, or show all.').waitFor()
  await page.reload()
  expect(await form.getByLabel('What').inputValue()).toBe('resolveGroup')
})

it('exports each entry of the filter, and no cell is a formula', async () => {
  const page = await openAudited()
  await page.getByText('discard 12 events').waitFor()
  const save = async (kind: string) => {
    await page.locator('[data-menu=export] > summary').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: kind }).click(),
    ])
    return (await readFile(await download.path(), 'utf8')).trimEnd().split('\n')
  }
  const csv = await save('CSV')
  expect(csv).toHaveLength(15)
  expect(csv[0]).toBe('\ufeff"id","at","actor","action","eventId","isOfDelivery","subject","run","reason"\r')
  expect(csv[14]).toMatch(
    /"Ada, ""the first""","pause","","","type ledger.matched","","'=HYPERLINK\(""http:\/\/example.com""\)"$/,
  )
  const lines = (await save('JSON lines')).map((line) => JSON.parse(line) as { reason: string })
  expect(lines).toHaveLength(14)
  expect(lines.at(-1)?.reason).toBe('=HYPERLINK("http://example.com")')
  await page.getByText('Saved 14 entries.').waitFor()
})
