import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { AuditRow, GroupRow, Page, PlanView, RunDetail, RunView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, asShown, json, jsonUntil, listen, openFilledInbox, openInbox } from './rig.js'

const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const sent = 'The sender got its 200, so it does not send it again by itself.'
const undo = `You can undo this for 10 minutes. ${sent}`

/** Three dead events of one cause. */
async function openDead() {
  const inbox = await openInbox()
  for (const id of ['evt_1', 'evt_2', 'evt_3']) {
    await inbox.send('transfer.failed', { transferId: id }, id)
  }
  await inbox.until(({ dead }) => dead === 3)
  const api = `${await listen(consoleHandler(inbox.receiver, all))}/api`
  const [cause] = await inbox.receiver.failures()
  return { ...inbox, api, group: cause?.group as string, title: cause?.title }
}

const post = (body: object) => act('a test', {}, { seen: undefined, ...body })

it('shows a plan of a replay and one of a discard before they run', async () => {
  const { api, group, title } = await openDead()
  const { rows } = await json<Page<object>>(`${api}/events`)
  const plan = {
    id: expect.any(String),
    count: 3,
    isCapped: false,
    createdAt: time,
    sample: rows.toReversed(),
    causes: { counted: 3, isCapped: false, rows: [{ group, title, count: 3 }], rest: 0 },
    underWay: [],
  }
  expect(await json(`${api}/plans`, post({ action: 'replay' }))).toEqual({
    ...plan,
    action: 'replay',
    laterDone: { count: 0, lookedAt: 3, isCapped: false },
    notes: [],
  })
  expect(await json(`${api}/plans`, post({ action: 'discard', where: { state: 'dead' } }))).toEqual({
    ...plan,
    action: 'discard',
    notes: [undo],
  })
  expect(await json(`${api}/plans`, post({ action: 'giveUp' }))).toEqual({
    ...plan,
    action: 'giveUp',
    count: 0,
    sample: [],
    causes: undefined,
    notes: [],
  })
})

it('shows an operation in a list and alone, with all its figures', async () => {
  const { api, receiver } = await openDead()
  const plan = await json<PlanView>(
    `${api}/plans`,
    post({ action: 'discard', where: { type: 'transfer.*' } }),
  )
  const begun = await json<RunView>(
    `${api}/plans/${plan.id}/run`,
    act('of a test', {}, { perSecond: 100, canary: 0 }),
  )
  const run = {
    id: begun.id,
    action: 'discard',
    reason: 'of a test',
    actor: 'operator',
    perSecond: 100,
    canary: 0,
    isPastCanary: expect.any(Boolean),
    changes: 0,
    isHeld: expect.any(Boolean),
    count: 3,
    skipped: {},
    failed: 0,
    restored: 0,
    createdAt: time,
  }
  expect(begun).toEqual({ ...run, state: 'running', applied: 0, remaining: 3 })
  const path = `${api}/runs/${begun.id}`
  const ended = await jsonUntil<RunDetail>(path, ({ endedAt }) => endedAt !== undefined)
  const listed = {
    ...run,
    state: 'done',
    applied: 3,
    remaining: 0,
    endedAt: time,
    where: { type: 'transfer.*' },
    acts: [],
  }
  expect(ended).toEqual({ ...listed, undoUntil: time })
  expect(await json(`${api}/runs`)).toEqual({ rows: [listed] })
  expect(await json(`${path}/applied`)).toEqual({
    rows: ['evt_1', 'evt_2', 'evt_3'].map((eventId) => ({
      eventId,
      state: expect.any(String),
      isChangedSince: expect.any(Boolean),
    })),
  })
  expect(await json(`${path}/left-alone`)).toEqual({ rows: [] })
  expect(await json(`${path}/notes`)).toEqual({ notes: [] })
  expect(await json(`${api}/undo`, post({ of: begun.id, ...(await asShown(path)) }))).toEqual({ undone: 3 })
  const { rows } = await json<Page<AuditRow>>(`${api}/audits`)
  expect(rows).toEqual([
    {
      id: expect.any(String),
      at: time,
      since: time,
      action: 'undo',
      actor: 'operator',
      reason: 'a test',
      run: begun.id,
      count: 3,
    },
    {
      id: expect.any(String),
      at: time,
      since: time,
      action: 'discard',
      actor: 'operator',
      reason: 'of a test',
      run: begun.id,
      count: 3,
    },
  ])
  expect(await receiver.audits({ limit: 100 })).toHaveLength(7)
})

it('shows what became of the events of a replay', async () => {
  const { api, until } = await openDead()
  const plan = await json<PlanView>(`${api}/plans`, post({ action: 'replay' }))
  const begun = await json<RunView>(
    `${api}/plans/${plan.id}/run`,
    act('again', {}, { perSecond: 100, canary: 0 }),
  )
  const path = `${api}/runs/${begun.id}`
  await jsonUntil<RunDetail>(path, ({ endedAt }) => endedAt !== undefined)
  await until(({ dead }) => dead === 3)
  const again = { failedAgain: 3, waiting: 0, done: 0, lookedAt: 3, changedSince: 0 }
  const shown = await json<RunDetail>(path)
  expect(shown).toMatchObject({ applied: 3, remaining: 0, where: {}, acts: [], ...again })
  expect(shown.states).toEqual({
    accepted: 0,
    failed: 0,
    dead: 3,
    done: 0,
    gone: 0,
    givenUp: 0,
    changedSince: 0,
  })
  expect((await json<Page<RunView>>(`${api}/runs`)).rows[0]).toMatchObject(again)
  expect(shown).not.toHaveProperty('undoUntil')
  const { rows } = await json<Page<object>>(`${path}/applied?state=dead`)
  expect(rows).toEqual(
    ['evt_1', 'evt_2', 'evt_3'].map((eventId) => ({
      eventId,
      state: 'dead',
      isChangedSince: false,
      lastError: `handler_failed: Error: transfer.failed ${eventId} failed`,
    })),
  )
})

it('shows a cause in a list and alone', async () => {
  const { api, group, title } = await openDead()
  const cause = {
    group,
    state: 'open',
    changes: 0,
    title,
    place: expect.stringMatching(/\.ts/),
    count: 3,
    isCapped: false,
    dead: 3,
    failed: 0,
    quarantined: 0,
    types: ['transfer.failed'],
    firstSeenAt: time,
    lastSeenAt: time,
    code: 'handler_failed',
    example: expect.stringMatching(/^evt_[123]$/),
    isExampleDelivery: false,
  }
  const { rows } = await json<Page<GroupRow>>(`${api}/groups`)
  expect(rows).toEqual([cause])
  expect(await json(`${api}/groups/${encodeURIComponent(group)}`)).toEqual({
    ...cause,
    error: `handler_failed: Error: transfer.failed ${rows[0]?.example} failed`,
    advice: {
      cause: expect.any(String),
      fix: 'fix the code that the error names, then replay the events that are dead; those that failed are retried by themselves',
    },
    audits: [],
  })
})

it('shows a cause of deliveries, also when its example has left the quarantine', async () => {
  const { receiver } = await openFilledInbox()
  const api = `${await listen(consoleHandler(receiver, all))}/api`
  const [delivery] = await receiver.quarantined()
  const { rows } = await json<Page<GroupRow>>(`${api}/groups`)
  const row = rows.find(({ isExampleDelivery }) => isExampleDelivery) as GroupRow
  expect(row).toEqual({
    group: 'payments:invalid_json',
    state: 'open',
    changes: 0,
    title: expect.stringMatching(/^[A-Z]/),
    code: 'invalid_json',
    count: 1,
    isCapped: false,
    dead: 0,
    failed: 0,
    quarantined: 1,
    types: [],
    firstSeenAt: time,
    lastSeenAt: time,
    example: delivery?.key,
    isExampleDelivery: true,
  })
  const path = `${api}/groups/${encodeURIComponent(row.group)}`
  const advice = { cause: expect.any(String), fix: expect.any(String) }
  expect(await json(path)).toEqual({ ...row, advice, audits: [] })
  await receiver.discard(delivery?.key ?? '', { reason: 'no event', actor: 'Ann' })
  expect(await json(path)).toMatchObject({ isExampleGone: true, count: 0 })
})
