import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { LeftAloneRow, Page, RunView } from '../src/wire.js'
import { act, listen, openFilledInbox, openWaitingInbox } from './rig.js'

it('who started an operation and why is shown with the right audits:read alone', async () => {
  const { receiver } = await openWaitingInbox()
  const plan = await receiver.plan({ action: 'giveUp' })
  await (await receiver.run(plan, { reason: 'paid by hand', actor: 'operator 2' })).finished()
  const read = async (rights: readonly string[]) => {
    const url = await listen(
      consoleHandler(receiver, { authorize: (_, right) => rights.includes(right), readOnly: true }),
    )
    const { rows } = (await (await fetch(`${url}/api/runs`)).json()) as Page<RunView>
    return [rows[0], await (await fetch(`${url}/api/runs/${rows[0]?.id}`)).json()]
  }
  for (const run of await read(['events:read'])) {
    expect([run.applied, run.actor, run.reason]).toEqual([2, undefined, undefined])
  }
  for (const run of await read(['events:read', 'audits:read'])) {
    expect([run.applied, run.actor, run.reason]).toEqual([2, 'operator 2', 'paid by hand'])
  }
})

it('who was faster than an operation is shown with the right audits:read alone', async () => {
  const { receiver, until } = await openFilledInbox()
  const plan = await receiver.plan({ action: 'replay' })
  await receiver.replay('evt_dead', { reason: 'a test', actor: 'operator 2' })
  await until(({ dead }) => dead === 1)
  const run = await receiver.run(plan, { reason: 'a test', actor: 'operator' })
  await run.finished()
  const read = async (rights: readonly string[]) => {
    const url = await listen(
      consoleHandler(receiver, { authorize: (_, right) => rights.includes(right), readOnly: true }),
    )
    return ((await (await fetch(`${url}/api/runs/${run.id}/left-alone`)).json()) as Page<LeftAloneRow>).rows
  }
  const row = { place: 1, eventId: 'evt_dead', because: 'already_replayed' }
  expect(await read(['events:read'])).toEqual([row])
  expect(await read(['events:read', 'audits:read'])).toEqual([{ ...row, detail: 'replay by operator 2' }])
})

it('an operation over one event names the event', async () => {
  const { receiver } = await openWaitingInbox()
  const url = await listen(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
  const failed = { seen: { state: 'failed', generation: 0 } }
  await fetch(`${url}/api/events/evt_failed/retry-now`, act('now', {}, failed))
  const { rows } = (await (await fetch(`${url}/api/runs`)).json()) as Page<RunView>
  expect(rows.map(({ where }) => where)).toEqual([{ event: 'evt_failed' }])
})

it('who cancelled an operation and why is shown with the right audits:read alone', async () => {
  const { receiver } = await openWaitingInbox()
  const audit = { reason: 'too many', actor: 'operator 3' }
  const run = await receiver.run(await receiver.plan({ action: 'giveUp' }), { ...audit, perSecond: 0.001 })
  await run.cancel(audit)
  for (const [rights, named] of [
    [['events:read'], {}],
    [['events:read', 'audits:read'], audit],
  ] as const) {
    const authorize = (_: unknown, right: string) => (rights as readonly string[]).includes(right)
    const url = await listen(consoleHandler(receiver, { authorize, readOnly: true }))
    const { acts } = (await (await fetch(`${url}/api/runs/${run.id}`)).json()) as RunView
    expect(acts).toEqual([{ action: 'cancelRun', at: expect.any(String), ...named }])
  }
})
