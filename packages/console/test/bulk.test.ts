import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { LeftAloneRow, Page, PlanView, RunView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, asShown, json, jsonUntil, listen, openInbox } from './rig.js'

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

it('counts first, then replays all that match, and shows how far it is', async () => {
  const { receiver, url, fix, until: untilCounts } = await openDead()
  const plan = await json<PlanView>(`${url}/api/plans`, {
    ...act('', {}, { action: 'replay', where: { state: 'dead', type: 'transfer.*' } }),
  })
  expect(plan).toMatchObject({ action: 'replay', count: 6, isCapped: false })
  expect(plan.sample.map(({ id }) => id)).toEqual(['evt_0', 'evt_1', 'evt_3', 'evt_4', 'evt_5'])
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
  const ended = await jsonUntil<RunView>(`${url}/api/runs/${run.id}`, ({ endedAt }) => endedAt !== undefined)
  expect(ended).toMatchObject({ state: 'done', applied: 6, remaining: 0, failed: 0 })
  await untilCounts(({ done }) => done === 6)
  const { rows } = await json<Page<RunView>>(`${url}/api/runs`)
  expect(rows.map(({ id }) => id)).toEqual([run.id])
})

it('shows events of every cause before a run', async () => {
  const { send, until, url } = await openDead()
  await send('payout.returned', {}, 'evt_other')
  await until(({ dead }) => dead === 7)
  const { sample } = await json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'replay' }))
  expect([sample.length, new Set(sample.map(({ group }) => group)).size]).toEqual([5, 2])
})

it('says page by page what a run left alone', async () => {
  const { receiver, url } = await openDead()
  const plan = await json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'discard' }))
  for (const id of ['evt_1', 'evt_4']) {
    await receiver.discard(id, { reason: 'first', actor: 'operator 2' })
  }
  const run = await json<RunView>(`${url}/api/plans/${plan.id}/run`, act('of a test'))
  const path = `${url}/api/runs/${run.id}`
  const ended = await jsonUntil<RunView>(path, ({ endedAt }) => endedAt !== undefined)
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
  expect(await json(`${url}/api/undo`, act('too much', {}, { of: run.id, seen: ended }))).toEqual({
    undone: 4,
  })
  expect((await receiver.health()).counts.dead).toBe(4)
  const undone = {
    restored: 4,
    acts: [{ action: 'undo', actor: 'operator', reason: 'too much' }],
  }
  expect(await json(path)).toMatchObject(undone)
  expect(await json(`${url}/api/runs`)).toMatchObject({ rows: [{ id: run.id, ...undone }] })
  expect((await fetch(`${url}/api/undo`, act('again', {}, { of: run.id, seen: ended }))).status).toBe(422)
})

it('pauses, resumes and cancels a run', async () => {
  const { url, receiver } = await openDead()
  const plan = await json<PlanView>(`${url}/api/plans`, act('', {}, { action: 'replay' }))
  const slow = act('slowly', {}, { perSecond: 0.01, canary: 0 })
  const { id } = await json<RunView>(`${url}/api/plans/${plan.id}/run`, slow)
  const [run] = await receiver.runs()
  expect(run).toMatchObject({ id, perSecond: 0.01, canary: 0 })
  for (const [verb, state] of [
    ['pause', 'paused'],
    ['resume', 'running'],
    ['cancel', 'cancelled'],
  ] as const) {
    const path = `${url}/api/runs/${id}`
    const change = act('a test', {}, await asShown(path))
    expect(await json(`${path}/${verb}`, change)).toEqual({ isChanged: true })
    expect(await json(path)).toMatchObject({ state })
  }
  const again = act('a test', {}, await asShown(`${url}/api/runs/${id}`))
  expect(await json(`${url}/api/runs/${id}/cancel`, again)).toEqual({ isChanged: false })
})

it('names the conditions of a run, or its one event', async () => {
  const { receiver, url } = await openDead()
  const audit = { reason: 'a test', actor: 'Ann' }
  const until = new Date('2999-01-01T00:00:00Z')
  const many = await receiver.run(
    await receiver.plan({ action: 'discard', where: { type: 'a.b', until } }),
    audit,
  )
  expect(await json(`${url}/api/runs/${many.id}`)).toMatchObject({
    where: { type: 'a.b', until: '2999-01-01T00:00:00.000Z' },
  })
  const one = await receiver.run(await receiver.plan({ action: 'discard', where: { id: 'evt_3' } }), audit)
  await one.finished()
  expect(await json<RunView>(`${url}/api/runs/${one.id}`)).toMatchObject({ where: { event: 'evt_3' } })
})
