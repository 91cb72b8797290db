import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail, LeftAloneRow, Page, PlanView, RunView } from '../src/wire.js'
import { act, listen, openFilledInbox, openInbox, openWaitingInbox } from './rig.js'

const all = { authorize: () => true, actor: () => 'operator', logger: { info() {}, warn() {}, error() {} } }

const json = async <Answer>(url: string, init?: RequestInit): Promise<Answer> =>
  (await (await fetch(url, init)).json()) as Answer

/** Six dead events, whose handler works again after `fix`. */
async function openDead() {
  let isBroken = true
  const handlers = {
    async 'transfer.settled'() {
      if (isBroken) {
        throw new Error('the bank is down')
      }
    },
  }
  const inbox = await openInbox(undefined, handlers)
  for (let i = 0; i < 6; i++) {
    await inbox.send('transfer.settled', {}, `evt_${i}`)
  }
  await inbox.until(({ dead }) => dead === 6)
  const url = await listen(consoleHandler(inbox.receiver, all))
  const fix = () => {
    isBroken = false
  }
  return { ...inbox, url, fix }
}

async function until<Answer>(url: string, isSo: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await json<Answer>(url)
    if (isSo(answer)) {
      return answer
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

it('counts first, then replays all that match, and shows how far it is', async () => {
  const { receiver, url, fix, until: untilCounts } = await openDead()
  const plan = await json<PlanView>(`${url}/api/plans`, {
    ...act('', {}, { action: 'replay', where: { state: 'dead', type: 'transfer.*' } }),
  })
  expect(plan).toMatchObject({ action: 'replay', count: 6, isCapped: false })
  expect(plan.sample.map(({ id }) => id)).toEqual(['evt_0', 'evt_1', 'evt_2', 'evt_3', 'evt_4'])
  expect(await receiver.audits()).toEqual([])
  fix()
  const run = await json<RunView>(
    `${url}/api/plans/${plan.id}/run`,
    act('the bank is back', {}, { canary: 2 }),
  )
  expect(run).toMatchObject({
    action: 'replay',
    actor: 'operator',
    reason: 'the bank is back',
    canary: 2,
    count: 6,
  })
  const ended = await until<RunView>(`${url}/api/runs/${run.id}`, ({ endedAt }) => endedAt !== undefined)
  expect(ended).toMatchObject({ state: 'done', applied: 6, remaining: 0, failed: 0 })
  await untilCounts(({ done }) => done === 6)
  const { rows } = await json<Page<RunView>>(`${url}/api/runs`)
  expect(rows.map(({ id }) => id)).toEqual([run.id])
})

it('says page by page what a run left alone', async () => {
  const { receiver, url } = await openDead()
  const plan = await json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'discard' }))
  for (const id of ['evt_1', 'evt_4']) {
    await receiver.discard(id, { reason: 'first', actor: 'operator 2' })
  }
  const run = await json<RunView>(`${url}/api/plans/${plan.id}/run`, act('of a test'))
  const path = `${url}/api/runs/${run.id}`
  const ended = await until<RunView>(path, ({ endedAt }) => endedAt !== undefined)
  expect(ended).toMatchObject({ applied: 4, skipped: { is_gone: 2 }, undoUntil: expect.any(String) })
  const first = await json<Page<LeftAloneRow>>(`${path}/left-alone?limit=1`)
  const second = await json<Page<LeftAloneRow>>(`${path}/left-alone?limit=1&cursor=${first.next}`)
  expect([...first.rows, ...second.rows].map(({ place, because }) => [place, because])).toEqual([
    [2, 'is_gone'],
    [5, 'is_gone'],
  ])
  expect(second.next).toBeUndefined()
  expect((await fetch(`${path}/left-alone?cursor=x`)).status).toBe(422)
  expect((await fetch(`${path}/applied?state=lost`)).status).toBe(422)
  expect(await json(`${url}/api/undo`, act('too much', {}, { of: run.id }))).toEqual({ undone: 4 })
  expect((await receiver.health()).counts.dead).toBe(4)
  const undone = {
    restored: 4,
    acts: [{ action: 'undo', actor: 'operator', reason: 'too much' }],
  }
  expect(await json(path)).toMatchObject(undone)
  expect(await json(`${url}/api/runs`)).toMatchObject({ rows: [{ id: run.id, ...undone }] })
  expect((await fetch(`${url}/api/undo`, act('again', {}, { of: run.id }))).status).toBe(422)
})

it('pauses, resumes and cancels a run', async () => {
  const { url } = await openDead()
  const plan = await json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'replay' }))
  const slow = act('slowly', {}, { perSecond: 0.01, canary: 0 })
  const { id } = await json<RunView>(`${url}/api/plans/${plan.id}/run`, slow)
  for (const [verb, state] of [
    ['pause', 'paused'],
    ['resume', 'running'],
    ['cancel', 'cancelled'],
  ] as const) {
    expect(await json(`${url}/api/runs/${id}/${verb}`, act('a test'))).toEqual({ isChanged: true })
    expect(await json(`${url}/api/runs/${id}`)).toMatchObject({ state })
  }
  expect(await json(`${url}/api/runs/${id}/cancel`, act('a test'))).toEqual({ isChanged: false })
})

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
      expect((await fetch(`${others}/api/runs/${run.id}/${verb}`, act('x'))).status).toBe(403)
      expect((await fetch(`${own}/api/runs/${run.id}/${verb}`, act('x'))).status).toBe(200)
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

it('plans and runs of another endpoint are not there', async () => {
  const { receiver } = await openFilledInbox()
  const foreign = { ...receiver, endpoint: 'another' }
  const url = await listen(consoleHandler(foreign, all))
  const plan = await receiver.plan({ action: 'discard' })
  const run = await receiver.run(plan, { reason: 'x', actor: 'operator 2' })
  await run.finished()
  expect((await fetch(`${url}/api/plans/${plan.id}/run`, act('x'))).status).toBe(404)
  expect((await fetch(`${url}/api/runs/${run.id}`)).status).toBe(404)
  expect((await fetch(`${url}/api/runs/${run.id}/left-alone`)).status).toBe(404)
  expect((await fetch(`${url}/api/runs/${run.id}/cancel`, act('x'))).status).toBe(404)
  expect((await fetch(`${url}/api/undo`, act('x', {}, { of: run.id }))).status).toBe(404)
  expect((await receiver.health()).counts.dead).toBe(0)
})

const waiting = { seen: { state: 'failed', generation: 0 } }

it('tries a failed event now, and gives one up, each as a run over one event', async () => {
  const inbox = await openWaitingInbox()
  const url = await listen(consoleHandler(inbox.receiver, all))
  const retried = await json<RunView>(`${url}/api/events/evt_failed/retry-now`, act('now', {}, waiting))
  expect(retried).toMatchObject({ action: 'retryNow', state: 'done', count: 1, applied: 1 })
  await until<EventDetail>(`${url}/api/events/evt_failed`, ({ failures }) => failures === 2)
  const given = await json<RunView>(
    `${url}/api/events/evt_failed/give-up`,
    act('it never works', {}, waiting),
  )
  expect(given).toMatchObject({ action: 'giveUp', state: 'done', applied: 1 })
  const event = await json<EventDetail>(`${url}/api/events/evt_failed`)
  expect(event).toMatchObject({ state: 'dead', audits: [{ action: 'giveUp' }, { action: 'retryNow' }] })
  expect((await fetch(`${url}/api/events/evt_failed/retry-now`, act('now'))).status).toBe(422)
  const again = await fetch(`${url}/api/events/evt_failed/give-up`, act('now', {}, waiting))
  expect([again.status, await again.json()]).toMatchObject([409, { code: 'event_changed' }])
  expect((await fetch(`${url}/api/events/evt_none/give-up`, act('x'))).status).toBe(404)
})

it('runs a changed copy, and rejects that where a mask hides parts of the body', async () => {
  const inbox = await openInbox(undefined, { async 'ledger.noted'() {} })
  const { receiver, until: untilCounts } = inbox
  await inbox.send('transfer.failed', { transferId: 'tr_1' }, 'evt_dead')
  await untilCounts(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(receiver, all))
  const body = '{"id":"evt_dead","type":"ledger.noted","created_at":"2026-01-01T00:00:00Z","data":{"a":1.10}}'
  const { id } = await json<{ id: string }>(
    `${url}/api/events/evt_dead/replay-edited`,
    act('x', {}, { body }),
  )
  expect(id).toMatch(/^evt_edited_/)
  await untilCounts(({ done }) => done === 1)
  expect(await json(`${url}/api/events/${id}`)).toMatchObject({ state: 'done', parent: 'evt_dead' })
  expect((await fetch(`${url}/api/events/evt_dead/replay-edited`, act('x'))).status).toBe(422)
  const masked = await listen(consoleHandler(receiver, { ...all, mask: ['data.transferId'] }))
  const refused = await fetch(`${masked}/api/events/evt_dead/replay-edited`, act('x', {}, { body }))
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'masked_body' }])
})

it('checks a quarantined delivery again', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const [delivery] = await receiver.quarantined()
  const path = `${url}/api/quarantine/${encodeURIComponent(delivery?.key ?? '')}`
  const rejection = { code: 'invalid_json' }
  expect(await json(path)).toMatchObject({ code: 'invalid_json', rejection })
  const answer = await json(`${path}/verify-again`, act('the schema is right now'))
  expect(answer).toMatchObject({ outcome: 'refused', code: 'invalid_json' })
  expect((await fetch(`${url}/api/quarantine/none/verify-again`, act('x'))).status).toBe(404)
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

const resource = ({ data }: { data: { transferId: string } }) => data.transferId
