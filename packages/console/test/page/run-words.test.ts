import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useBrowser } from 'webhook-inbox-ui/browser'
import type { RunView } from '../../src/wire.js'
import { openInbox } from '../rig.js'
import { mount, openConsole } from './scene.js'

useBrowser('console')

const longAgo = '2026-01-01T00:00:00.000Z'

/** A discard of three events that has ended. */
const ended: RunView = {
  ...{
    id: 'run',
    action: 'discard',
    state: 'done',
    changes: 0,
    isHeld: false,
    isPastCanary: true,
    perSecond: 10,
    canary: 0,
  },
  ...{ count: 3, applied: 3, skipped: {}, failed: 0, remaining: 0, restored: 0 },
  ...{ createdAt: longAgo, endedAt: longAgo },
}
const { endedAt: _, ...open } = ended
const replayed: RunView = { ...ended, action: 'replay' }

/** Operations in states that a test cannot bring about all at the same time. With the sign, the word and the sentence of each. */
const cases: readonly (readonly [RunView, sign: string, word: string, sentence: string])[] = [
  [ended, 'processed', 'Ended', 'Discarded: 3 of 3.'],
  [
    { ...ended, applied: 1, skipped: { is_gone: 1, is_running: 1 } },
    ...(['duplicate', 'Ended', 'Discarded: 1 of 3. Skipped: 2.'] as const),
  ],
  [
    { ...ended, applied: 1, failed: 1, skipped: { is_gone: 1 } },
    ...(['failed', 'Ended', 'Discarded: 1 of 3. Skipped: 1. Rejected by the queue: 1.'] as const),
  ],
  [{ ...ended, restored: 3 }, 'canceled', 'Undone', 'Undone: 3 of 3 events restored.'],
  [{ ...ended, restored: 1 }, 'canceled', 'Partly undone', 'Partly undone: 1 of 3 events restored.'],
  // What became of its events is not known yet.
  [replayed, 'duplicate', 'Ended', 'Set to run again: 3 of 3.'],
  [
    { ...replayed, lookedAt: 2, done: 2 },
    ...(['duplicate', 'Ended', 'Done: at least 2. Set to run again: 3 of 3.'] as const),
  ],
  [
    { ...replayed, lookedAt: 3, failedAgain: 0, done: 3 },
    ...(['processed', 'Ended', 'Done: 3. Set to run again: 3 of 3.'] as const),
  ],
  [
    { ...replayed, lookedAt: 3, failedAgain: 1, done: 2 },
    ...(['failed', 'Ended with failures', 'Failed again: 1. Done: 2. Set to run again: 3 of 3.'] as const),
  ],
  [
    { ...replayed, lookedAt: 3, failedAgain: 0, waiting: 1, done: 2 },
    ...(['pending', 'Ended, 1 waits', 'Waiting: 1. Done: 2. Set to run again: 3 of 3.'] as const),
  ],
  [
    { ...replayed, lookedAt: 3, failedAgain: 1, waiting: 2 },
    ...([
      'failed',
      'Ended with failures, 2 wait',
      'Waiting: 2. Failed again: 1. Set to run again: 3 of 3.',
    ] as const),
  ],
  [
    { ...ended, applied: 0, skipped: { changed_state: 3 }, action: 'giveUp' },
    ...(['duplicate', 'Ended without a change', 'Given up: 0 of 3. Skipped: 3.'] as const),
  ],
  [
    { ...ended, state: 'cancelled', applied: 1, remaining: 2 },
    ...(['canceled', 'Cancelled', 'Discarded: 1 of 3. Not handled: 2.'] as const),
  ],
  [{ ...open, state: 'paused' }, 'ignored', 'Paused', 'Discarded: 3 of 3.'],
  [{ ...ended, state: 'stopped' }, 'failed', 'Stopped by its canary', 'Discarded: 3 of 3.'],
  [{ ...open, state: 'running', isHeld: true }, 'in_progress', 'Running', 'Discarded: 3 of 3.'],
  [
    { ...open, state: 'running', createdAt: '2100-01-01T00:00:00.000Z' },
    ...(['in_progress', 'Running', 'Discarded: 3 of 3.'] as const),
  ],
  [{ ...open, state: 'running' }, 'pending', 'Waits for a process', 'Discarded: 3 of 3.'],
  [{ ...open, state: 'canary', isHeld: true }, 'pending', 'Waits for its canary', 'Discarded: 3 of 3.'],
  [{ ...open, state: 'canary' }, 'pending', 'Waits for a process', 'Discarded: 3 of 3.'],
]

/** An open console. Its server answers what the test gives. */
async function openWith(path: string, answer: object, hash: string): Promise<Page> {
  const page = await openConsole(await mount(await openInbox()))
  await page.route(path, (route) => route.fulfill({ json: answer }))
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
  return page
}

it('gives each operation its sign, its word and its outcome', async () => {
  const rows = cases.map(([run], at) => ({ ...run, id: `run_${at}` }))
  const page = await openWith('**/api/runs?*', { rows }, '#/operations')
  const table = page.getByRole('table', { name: 'Operations' })
  await table.waitFor()
  const shown = await table.locator('tbody tr').evaluateAll((all) =>
    all.map((row) => {
      const state = row.querySelector('[data-outcome]')
      return [
        state?.getAttribute('data-outcome'),
        state?.textContent?.trim(),
        row.querySelector('p.faint')?.textContent?.trim(),
      ]
    }),
  )
  expect(shown).toEqual(cases.map(([, ...words]) => words))
})

it('says why events were skipped', async () => {
  const reasons = {
    already_replayed: 'somebody replayed it after the preview',
    is_running: 'a handler ran it, or another change was being made to it',
    is_gone: 'it was discarded or pruned after the preview',
    changed_state: 'it changed its state after the preview',
    is_due: 'it is due already; it runs as soon as nothing holds it',
    has_other_version: 'its original or an edited copy of it is done, or is to run',
    a_new_reason: 'a_new_reason',
  }
  const skipped = Object.fromEntries(Object.keys(reasons).map((reason, at) => [reason, at + 1]))
  const page = await openWith('**/api/runs/run', { ...ended, skipped }, '#/operations/run')
  const table = page.getByRole('table', { name: 'What happened' })
  const words = table.locator('tr', { hasText: 'Skipped' }).locator('td')
  await words.first().waitFor()
  const told = Object.values(reasons).flatMap((reason, at) => ['Skipped', String(at + 1), reason])
  expect((await words.allInnerTexts()).map((text) => text.trim())).toEqual(told)
})
