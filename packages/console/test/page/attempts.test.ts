import { expect, it } from 'vitest'
import { keepPicture, pixelsBeyond, useBrowser } from 'webhook-inbox-ui/browser'
import { openInbox } from '../rig.js'
import { cell, mount, openConsole } from './scene.js'

useBrowser('console')

it('shows each attempt of an event with its error and the pause after it', async () => {
  const errors = ['the bank is closed', 'the bank is closed', 'the account is unknown']
  const payouts = {
    async 'payout.returned'() {
      const error = errors.shift()
      if (error) {
        throw new Error(error)
      }
    },
  }
  const inbox = await openInbox(undefined, payouts, {
    attempts: 3,
    firstPauseSeconds: 0.2,
  })
  await inbox.send('payout.returned', {}, 'evt_payout')
  await inbox.until(({ dead }) => dead === 1)
  await inbox.receiver.replay('evt_payout', { reason: 'the account is opened', actor: 'operator' })
  await inbox.until(({ done }) => done === 1)
  for (const width of [1280, 360]) {
    const viewport = { width, height: 900 }
    const page = await openConsole(await mount(inbox), {
      hash: '#/events/evt_payout',
      viewport,
    })
    const attempts = page.getByRole('list', { name: 'Its attempts' }).getByRole('listitem')
    await attempts.first().waitFor()
    const words = (await attempts.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(words).toEqual([
      expect.stringMatching(/^Attempt 1 \d\d:.* retry planned \d+ ms later .*Error: the bank is closed/),
      expect.stringMatching(/^Attempt 2 \d\d:.* retry planned \d+ ms later The same error\./),
      expect.stringMatching(/^Attempt 3 \d\d:(?!.*planned).*Error: the account is unknown/),
      expect.stringMatching(/^Attempt 1 after replay 1 \d\d:.*It was done\./),
    ])
    expect(await cell(page, 'payout.returned').locator('td.number').textContent()).toBe('1')
    expect(await pixelsBeyond(page)).toBe(0)
    await page.getByRole('list', { name: 'Its attempts' }).scrollIntoViewIfNeeded()
    await keepPicture(page, `attempts-${width}`)
  }
})

it('shows the last error once', async () => {
  const errors = ['the bank is closed', 'the account is unknown', 'the account is unknown']
  const payouts = {
    async 'payout.returned'() {
      throw new Error(errors.shift())
    },
  }
  const inbox = await openInbox(undefined, payouts, { attempts: 3, firstPauseSeconds: 0.2 })
  await inbox.send('payout.returned', {}, 'evt_payout')
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_payout' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  const attempts = pane.getByRole('list', { name: 'Its attempts' }).getByRole('listitem')
  await attempts.first().waitFor()
  const shown = attempts.locator('div > :is(.error, div.faint)')
  expect(await shown.allInnerTexts()).toEqual([
    expect.stringContaining('the bank is closed'),
    'The error above.',
    'The same error.',
  ])
  expect(await pane.getByText('the account is unknown').count()).toBe(1)
})

it('still shows when an event was first done, after a replay', async () => {
  const payouts = {
    async 'payout.returned'({ id }: never) {
      if ((await inbox.receiver.inspect(id))?.generation) {
        throw new Error('the account is closed')
      }
    },
  }
  const inbox = await openInbox(undefined, payouts)
  await inbox.send('payout.returned', {}, 'evt_payout')
  await inbox.until(({ done }) => done === 1)
  const doneAt = (await inbox.receiver.inspect('evt_payout'))?.doneAt
  await inbox.receiver.replay('evt_payout', { reason: 'paid twice', actor: 'operator' })
  await inbox.until(({ dead }) => dead === 1)
  const page = await openConsole(await mount(inbox), { hash: '#/events/evt_payout' })
  const pane = page.getByRole('complementary', { name: 'Event' })
  const first = pane.locator('dt:text-is("First done") + dd time').first()
  expect(await first.getAttribute('datetime')).toBe(doneAt)
  const attempts = pane.getByRole('list', { name: 'Its attempts' }).getByRole('listitem')
  expect((await attempts.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^Attempt 1 \d\d:.*It was done\./),
    expect.stringMatching(/^Attempt 1 after replay 1 \d\d:/),
  ])
  await keepPicture(page, 'first-done')
})
