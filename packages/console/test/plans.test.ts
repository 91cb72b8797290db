import { expect, it } from 'vitest'
import { actionNames, bulkActions, statesOf } from '../src/bulk-actions.js'
import { consoleHandler } from '../src/index.js'
import type { Page, PlanView, RunView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, asShown, json, listen, openFilledInbox, openInbox, openWaitingInbox } from './rig.js'

it.each([
  [{ action: 'delete' }],
  [{}],
  [{ action: 'constructor' }],
  [{ action: 'replay', where: { text: 'x' } }],
  [{ action: 'replay', where: { endpoint: 'another' } }],
  [{ action: 'replay', where: { state: ['dead'] } }],
  [{ action: 'replay', where: { state: 'accepted' } }],
  [{ action: 'replay', where: { since: 'yesterday' } }],
])('a plan of %j is rejected', async (body) => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  expect((await fetch(`${url}/api/plans`, act('', {}, body))).status).toBe(422)
})

const states = ['accepted', 'failed', 'dead', 'done'] as const

it.each(actionNames)('the console and the receiver agree on which events %s takes', async (action) => {
  const { receiver, send, until } = await openFilledInbox()
  const taken = await Promise.all(
    states.map((state) =>
      receiver.plan({ action, where: { state } }).then(
        () => state,
        () => undefined,
      ),
    ),
  )
  expect(taken.filter((state) => state !== undefined)).toEqual(
    states.filter((state) => bulkActions[action].states.includes(state)),
  )
  await receiver.pause({}, { reason: 'a test', actor: 'operator' })
  await send('transfer.settled', {}, 'evt_waits')
  await until(({ accepted }) => accepted === 1)
  const inbox = await receiver.list({ limit: 10 })
  const { count } = await receiver.plan({ action })
  expect(count).toBe(inbox.filter(({ state }) => statesOf(action).includes(state)).length)
})

it('the right of a plan is that of its action', async () => {
  const { receiver } = await openWaitingInbox()
  for (const [action, right] of [
    ['replay', 'events:replay'],
    ['discard', 'events:discard'],
    ['retryNow', 'events:retry'],
    ['giveUp', 'events:give-up'],
  ] as const) {
    const own = await listen(consoleHandler(receiver, { ...all, authorize: (_, asked) => asked === right }))
    const others = await listen(
      consoleHandler(receiver, { ...all, authorize: (_, asked) => asked !== right }),
    )
    const plan = await json<PlanView>(`${own}/api/plans`, act('', {}, { action }))
    expect((await fetch(`${others}/api/plans`, act('', {}, { action }))).status).toBe(403)
    expect((await fetch(`${others}/api/plans/${plan.id}/run`, act('x'))).status).toBe(403)
    const run = await json<RunView>(`${own}/api/plans/${plan.id}/run`, act('x', {}, { perSecond: 0.01 }))
    for (const verb of ['pause', 'resume', 'cancel']) {
      const seen = await asShown(`${others}/api/runs/${run.id}`)
      expect((await fetch(`${others}/api/runs/${run.id}/${verb}`, act('x', {}, seen))).status).toBe(403)
      expect((await fetch(`${own}/api/runs/${run.id}/${verb}`, act('x', {}, seen))).status).toBe(200)
    }
  }
})

it('who may do nothing in bulk does not learn which plans and runs there are', async () => {
  const { receiver } = await openFilledInbox()
  const plan = await receiver.plan({ action: 'discard' })
  const authorize = (_: unknown, asked: string) => asked === 'overview:read'
  const url = await listen(consoleHandler(receiver, { ...all, authorize }))
  for (const path of [`plans/${plan.id}/run`, 'plans/none/run', 'runs/none/cancel']) {
    expect([path, (await fetch(`${url}/api/${path}`, act('x'))).status]).toEqual([path, 403])
  }
  expect((await fetch(`${url}/api/plans`, act('', {}, { action: 'none' }))).status).toBe(403)
})

it('a plan by a resource that a mask hides does not tell whether it is there', async () => {
  const inbox = await openInbox(
    undefined,
    {},
    { attempts: 1 },
    { resource: (event: never) => resource(event) },
  )
  await inbox.send('transfer.failed', { transferId: 'tr_hidden' }, 'evt_1')
  await inbox.until(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(inbox.receiver, { ...all, mask: ['data.transferId'] }))
  const plan = (resource: string) =>
    fetch(`${url}/api/plans`, act('', {}, { action: 'replay', where: { resource } }))
  const [known, unknown] = [await plan('tr_hidden'), await plan('tr_none')]
  expect([known.status, await known.text()]).toEqual([unknown.status, await unknown.text()])
  const rows = await json<Page<object>>(`${url}/api/events?resource=tr_hidden`)
  expect(rows).toEqual({ rows: [] })
})

it('a plan shows no event without the right to read events', async () => {
  const { receiver } = await openFilledInbox()
  const sampleOf = async (...rights: string[]) => {
    const authorize = (_: unknown, asked: string) => rights.includes(asked)
    const url = await listen(consoleHandler(receiver, { ...all, authorize }))
    return json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'replay', where: { state: 'dead' } }))
  }
  expect(await sampleOf('events:replay')).toMatchObject({ count: 1, sample: [] })
  const { sample } = await sampleOf('events:replay', 'events:read')
  expect(sample).toMatchObject([{ id: 'evt_dead' }])
})

const resource = ({ data }: { data: { transferId: string } }) => data.transferId
