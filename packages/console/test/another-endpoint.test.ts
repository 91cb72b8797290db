import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { Overview } from '../src/wire.js'
import { all } from './every-right.js'
import { act, listen, openInbox, sharedStore } from './rig.js'

it('a console shows nothing of another endpoint of the store', async () => {
  const makeStore = await sharedStore()
  const other = await openInbox(makeStore, {}, { attempts: 1 }, { endpoint: 'salaries' })
  await other.send('transfer.failed', { transferId: 'tr_1' }, 'evt_salary')
  await other.sendRaw('no JSON')
  await other.until(({ dead, quarantined }) => dead === 1 && quarantined === 1)
  await other.receiver.replay('evt_salary', { reason: 'once more', actor: 'operator 2' })
  await other.until(({ dead }) => dead === 1)
  const { receiver } = await openInbox(makeStore)
  const url = await listen(consoleHandler(receiver, all))
  const none = { count: 0, isCapped: false }
  const overview = (await (await fetch(`${url}/api/overview`)).json()) as Overview
  expect(overview.statistics).toMatchObject({ value: { dead: none, quarantined: none } })
  expect(JSON.stringify(overview)).not.toContain('lastReceivedAt')
  for (const path of ['events', 'groups', 'quarantine', 'audits', 'runs']) {
    const empty = path === 'quarantine' ? { rows: [], causes: [] } : { rows: [] }
    expect([path, await (await fetch(`${url}/api/${path}`)).json()]).toEqual([path, empty])
  }
  const [delivery] = await other.receiver.quarantined()
  const [group] = await other.receiver.failures()
  for (const path of [
    'events/evt_salary',
    'events/evt_salary/body',
    `quarantine/${encodeURIComponent(delivery?.key ?? '')}`,
    `groups/${encodeURIComponent(group?.group ?? '')}`,
  ]) {
    expect([path, (await fetch(`${url}/api/${path}`)).status]).toEqual([path, 404])
  }
})

it('plans and runs of another endpoint are not there', async () => {
  const makeStore = await sharedStore()
  const other = await openInbox(makeStore, {}, { attempts: 1 }, { endpoint: 'salaries' })
  await other.send('transfer.failed', {}, 'evt_salary')
  await other.until(({ dead }) => dead === 1)
  const plan = await other.receiver.plan({ action: 'discard' })
  const run = await other.receiver.run(plan, { reason: 'x', actor: 'operator 2' })
  await run.finished()
  const { receiver } = await openInbox(makeStore)
  const url = await listen(consoleHandler(receiver, all))
  for (const [path, init, status] of [
    [`plans/${plan.id}/run`, act('x'), 404],
    [`runs/${run.id}`, {}, 404],
    [`runs/${run.id}/left-alone`, {}, 404],
    [`runs/${run.id}/cancel`, act('x'), 404],
    ['undo', act('x', {}, { of: run.id, seen: { state: 'done', changes: 0 } }), 422],
  ] as const) {
    expect([path, (await fetch(`${url}/api/${path}`, init)).status]).toEqual([path, status])
  }
  expect((await other.receiver.health()).counts.dead).toBe(0)
})
