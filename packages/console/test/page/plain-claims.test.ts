import { expect, it } from 'vitest'
import { testSender } from 'webhook-inbox/testing'
import { keepPicture, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox, secret } from '../rig.js'
import { mount, openBusyInbox, openConsole } from './scene.js'

useBrowser('console')

const audit = { reason: 'the bank is back', actor: 'operator 2' }

it('does not call all well while deliveries are refused, and says where they are counted', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.settled', {}, 'evt_done')
  await inbox.until(({ done }) => done === 1)
  const stranger = testSender({ receiver: inbox.receiver, secret: `${secret}_of_another_endpoint` })
  for (let at = 0; at < 5; at++) {
    const { status } = await stranger.send('transfer.settled', {}, { id: `evt_${at}` })
    expect(status).toBe(401)
  }
  const page = await openConsole(await mount(inbox))
  await page.getByRole('heading', { name: 'Nothing waits' }).waitFor()
  await page.getByText('Nothing stored has failed', { exact: true }).waitFor()
  await page.getByText(/^Refused deliveries are not stored and not counted here\. .*metrics/).waitFor()
  expect(await page.getByText('All is well').count()).toBe(0)
  await keepPicture(page, 'refused-deliveries')
  await page.getByRole('link', { name: 'Quarantine' }).first().click()
  await page.getByText('Nothing is quarantined. Refused deliveries are not kept.').waitFor()
})

it('says what a search with results has searched, and offers the id and the resource', async () => {
  const page = await openConsole(await mount(await openBusyInbox()), { hash: '#/events?text=ledger' })
  await page.getByText('12 events, and no older ones.').waitFor()
  await page.getByText('Only the text of the error was searched. Search ledger as id or resource').waitFor()
})

it('says of a canary whose events are dead only that they stay dead', async () => {
  const inbox = await openInbox()
  for (let at = 0; at < 4; at++) {
    await inbox.send('transfer.failed', {}, `evt_${at}`)
  }
  await inbox.until(({ dead }) => dead === 4)
  const { receiver } = inbox
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 2 })
  await expect.poll(async () => (await run.progress()).state).toBe('stopped')
  await inbox.until(({ dead }) => dead === 4)
  const page = await openConsole(await mount(inbox), { hash: `#/operations/${run.id}` })
  await page.getByRole('button', { name: 'Continue with the other' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('of the canary failed again.', { exact: false }).waitFor()
  await dialog.getByText('Those that are dead need another replay.', { exact: false }).waitFor()
  expect(await dialog.getByText('retried by themselves').count()).toBe(0)
})

it('gives one figure for what became of the events while an operation runs and when it ends', async () => {
  let isBack = false
  const handlers = {
    async 'payout.returned'() {
      if (!isBack) {
        throw new Error('the bank is down')
      }
    },
  }
  const inbox = await openInbox(undefined, handlers)
  const { receiver } = inbox
  await Promise.all(Array.from({ length: 150 }, (_, at) => inbox.send('payout.returned', {}, `evt_${at}`)))
  await inbox.until(({ dead }) => dead === 150)
  isBack = true
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, perSecond: 30 })
  const page = await openConsole(await mount(inbox), { hash: `#/operations/${run.id}` })
  const seen = await page.evaluate(async () => {
    const found = new Set<string>()
    const figure = (text: string | null | undefined, pattern: RegExp) => pattern.exec(text ?? '')?.[1]
    for (let isOver = false; !isOver; ) {
      const note = document.querySelector('main [role=status] .note')?.textContent
      const row = [...document.querySelectorAll('main table tbody tr')].find((each) =>
        each.textContent?.includes('Set to run again'),
      )
      const head = figure(note, /Set to run again: (\d+)/)
      const cells = [...(row?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent)
      const parts = [...(cells[2] ?? '').matchAll(/(\d+) (?:done|waiting|failed|dead)/g)]
      const sum = parts.reduce((all, [, count]) => all + Number(count), 0)
      if (head !== undefined && parts.length > 0 && (head !== cells[1] || Number(head) !== sum)) {
        found.add(`set ${head} in the note, ${cells[1]} in the table, of them ${cells[2]}`)
      }
      const done = figure(note, /Done: (?:at least )?(\d+)/)
      const doneBelow = figure(cells[2], /(\d+) done/)
      if (done !== undefined && doneBelow !== undefined && done !== doneBelow) {
        found.add(`done ${done} in the note, ${doneBelow} in the table`)
      }
      const isEnded = document.querySelector('main .bar [data-outcome]')?.textContent?.trim() === 'Ended'
      if (isEnded && note?.includes('at least')) {
        found.add(`ended with: ${note}`)
      }
      isOver = isEnded && done === '150' && doneBelow === '150'
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return [...found]
  })
  expect(seen).toEqual([])
})

it('counts in the list of operations the events that were changed again since', async () => {
  const inbox = await openInbox()
  await inbox.send('transfer.failed', {}, 'evt_0')
  await inbox.send('transfer.failed', {}, 'evt_1')
  await inbox.until(({ dead }) => dead === 2)
  const { receiver } = inbox
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 0 })
  await run.finished()
  await inbox.until(({ dead }) => dead === 2)
  await receiver.discard('evt_0', audit)
  const page = await openConsole(await mount(inbox), { hash: '#/operations' })
  await page
    .getByRole('row', { name: /^Replay 2/ })
    .getByText(/Changed again since: 1\./)
    .waitFor()
})

it('says with the rates that they are a mean, and of what time', async () => {
  const page = await openConsole(await mount(await openBusyInbox()))
  const fact = (name: string) => page.locator('dl.weather > div', { hasText: name })
  await fact('Arrived').getByText('mean of the hour, last').waitFor()
  await fact('Done').getByText('mean of the hour, of what arrived in this time').waitFor()
  expect(await fact('Acceptance to done').locator('.value').textContent()).toMatch(/^p50\s\d/)
  await page.getByRole('link', { name: 'Week', exact: true }).click()
  await fact('Arrived').getByText('mean of the week, last').waitFor()
})

it('forgets what was typed when the address changes', async () => {
  const url = await mount(await openBusyInbox())
  const page = await openConsole(url, { hash: '#/overview' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox')
  await search.fill('tr_3')
  await search.press('Enter')
  await page.getByText('More conditions').click()
  await page.goto(`${url}/#/events?resource=tr_3`)
  await page.getByText('3 events, and no older ones.').waitFor()
  await page.goto(`${url}/#/events/evt_settled_3`)
  await page.getByRole('link', { name: 'Act on all that match…' }).waitFor()
  expect(await page.getByText('cannot use').count()).toBe(0)
})
