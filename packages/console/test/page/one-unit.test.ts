import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import { inOneUnit } from '../../page/src/one-unit.js'
import { openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

it.each([
  [
    [0.0004, 0.34, 0.9],
    ['0.4 ms', '340 ms', '900 ms'],
  ],
  [
    [0.34, 1.2, 34],
    ['0.34 s', '1.2 s', '34 s'],
  ],
  [
    [0.02, 10_800],
    ['0.02 s', '10,800 s'],
  ],
  [
    [0.004, 59.6],
    ['0.004 s', '60 s'],
  ],
  [
    [90, 7200],
    ['1.5 min', '120 min'],
  ],
  [
    [7200, 90_000],
    ['2 h', '25 h'],
  ],
  [[90_000], ['1 d']],
  [[0], ['0 ms']],
] as const)('%s seconds are in one unit', (seconds, words) => {
  expect(seconds.map(inOneUnit(seconds))).toEqual(words)
})

it('shows the times to done of one plot in one unit', async () => {
  const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 1200))
  const inbox = await openInbox(undefined, { 'ledger.noted': slow })
  for (let at = 0; at < 20; at++) {
    await inbox.send('transfer.settled', {}, `evt_quick_${at}`)
  }
  await inbox.until(({ done }) => done === 20)
  await inbox.send('ledger.noted', {}, 'evt_slow')
  await inbox.until(({ done }) => done === 21)
  const page = await openConsole(await mount(inbox), { hash: '#/overview' })
  const fact = page.locator('.weather > div', { hasText: 'Acceptance to done' })
  await fact.getByText(/^[\d.]+ s$/).waitFor()
  await fact.getByText(/^p50\. p95\s[\d.]+\ss, p99\s[\d.]+\ss$/).waitFor()
})
