import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { AppliedRow, EventDetail, Page, RunDetail, RunView } from '../src/wire.js'
import { all } from './every-right.js'
import { openReplayed } from './replayed.js'
import { json, jsonUntil, listen, openInbox, openWaitingInbox } from './rig.js'

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

it('says no error of an event that an operator changed since, because its error may be of another attempt', async () => {
  const { receiver, send, until } = await openInbox(
    undefined,
    {
      async 'transfer.failed'() {
        throw new Error('the bank is away')
      },
    },
    { attempts: 1 },
  )
  await send('transfer.failed', {}, 'evt_1')
  await until(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(receiver, all))
  const audit = { reason: 'fixed', actor: 'Ann' }
  const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 0 })
  await run.finished()
  const replayed = (generation: number) =>
    expect.poll(() => receiver.inspect('evt_1')).toMatchObject({ state: 'dead', generation })
  await replayed(1)
  const applied = async () => (await json<Page<AppliedRow>>(`${url}/api/runs/${run.id}/applied`)).rows
  const lastError = 'handler_failed: Error: the bank is away'
  expect(await applied()).toEqual([{ eventId: 'evt_1', state: 'dead', isChangedSince: false, lastError }])
  await receiver.replay('evt_1', audit)
  await replayed(2)
  expect(await applied()).toEqual([{ eventId: 'evt_1', state: 'dead', isChangedSince: true }])
})
