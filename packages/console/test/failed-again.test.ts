import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { AppliedRow, EventDetail, Page, RunDetail, RunView } from '../src/wire.js'
import { all } from './every-right.js'
import { openReplayed } from './replayed.js'
import { json, jsonUntil, listen, openWaitingInbox } from './rig.js'

it('the list says of a large run that events failed again, as the run itself does', async () => {
  const { receiver } = await openReplayed([2095, 900])
  const url = await listen(consoleHandler(receiver, all))
  const { rows } = await json<Page<RunView>>(`${url}/api/runs`)
  expect(rows.map(({ failedAgain, lookedAt }) => [failedAgain, lookedAt])).toEqual([
    [90, 900],
    [209, 2095],
  ])
  const { states } = await json<RunDetail>(`${url}/api/runs/run-0`)
  expect(states?.dead).toBe(209)
})

it('of many large runs it looks at the first events alone, and says at how many', async () => {
  const { receiver } = await openReplayed([900, 12_000, 11_000, 10_500])
  const url = await listen(consoleHandler(receiver, all))
  const { rows } = await json<Page<RunView>>(`${url}/api/runs`)
  expect(rows.map(({ id, failedAgain, lookedAt }) => [id, failedAgain, lookedAt])).toEqual([
    ['run-3', 1000, 10_000],
    ['run-2', 1000, 10_000],
    ['run-1', 10, 100],
    ['run-0', 10, 100],
  ])
})

it('says of each changed event why it failed again and when it is retried, behind the mask', async () => {
  const { receiver } = await openWaitingInbox()
  const url = await listen(consoleHandler(receiver, { ...all, mask: ['data.transferId'] }))
  const audit = { reason: 'fixed', actor: 'Ann' }
  const run = await receiver.run(await receiver.plan({ action: 'retryNow' }), audit)
  for (const id of ['evt_failed', 'evt_failed_too']) {
    await expect.poll(async () => (await receiver.inspect(id))?.failures).toBe(2)
  }
  const path = `${url}/api/runs/${run.id}/applied?state=failed`
  const { rows } = await jsonUntil<Page<AppliedRow>>(path, ({ rows }) => rows.length === 2)
  for (const { eventId, ...row } of rows) {
    const { lastError, retryAt } = await json<EventDetail>(`${url}/api/events/${eventId}`)
    expect(lastError).toBeDefined()
    expect(row).toEqual({ state: 'failed', isChangedSince: false, lastError, retryAt })
  }
})
