import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventDetail, GroupDetail, GroupRow, Page } from '../src/wire.js'
import { act, asShown, json, listen, openFilledInbox, openInbox, sqlite } from './rig.js'

const all = { authorize: () => true, actor: () => 'operator', logger: { info() {}, warn() {}, error() {} } }

it('lists what failed by its cause, page by page, and by state', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const first = await json<Page<GroupRow>>(`${url}/api/groups?limit=1`)
  const second = await json<Page<GroupRow>>(`${url}/api/groups?limit=1&cursor=${first.next}`)
  expect(second.next).toBeUndefined()
  const rows = [...first.rows, ...second.rows]
  const ofEvents = rows.find(({ isExampleDelivery }) => !isExampleDelivery)
  const ofDeliveries = rows.find(({ isExampleDelivery }) => isExampleDelivery)
  expect(ofEvents).toMatchObject({ state: 'open', count: 1, dead: 1, example: 'evt_dead' })
  expect(ofDeliveries).toMatchObject({ code: 'invalid_json', quarantined: 1 })
  const resolved = await json<Page<GroupRow>>(`${url}/api/groups?state=resolved`)
  expect(resolved.rows).toEqual([])
  expect((await fetch(`${url}/api/groups?state=lost`)).status).toBe(422)
})

it('acknowledges, resolves and reopens a group, shows who did it, and opens it when it comes back', async () => {
  const inbox = await openFilledInbox()
  const url = await listen(consoleHandler(inbox.receiver, all))
  const { rows } = await json<Page<GroupRow>>(`${url}/api/groups`)
  const id = rows.find(({ dead }) => dead === 1)?.group ?? ''
  const path = `${url}/api/groups/${encodeURIComponent(id)}`
  expect((await fetch(`${path}/acknowledge`, act('known', {}, await asShown(path)))).status).toBe(200)
  expect(await json<GroupDetail>(path)).toMatchObject({
    state: 'acknowledged',
    audits: [{ action: 'acknowledgeGroup', actor: 'operator', reason: 'known' }],
  })
  expect((await fetch(`${path}/reopen`, act('the wrong one', {}, await asShown(path)))).status).toBe(200)
  expect(await json<GroupDetail>(path)).toMatchObject({
    state: 'open',
    audits: [{ action: 'reopenGroup', actor: 'operator', reason: 'the wrong one' }, {}],
  })
  expect((await fetch(`${path}/resolve`, act('the bank is back', {}, await asShown(path)))).status).toBe(200)
  expect(await json<GroupDetail>(path)).toMatchObject({ state: 'resolved' })
  await fetch(`${url}/api/events/evt_dead/replay`, act('a try'))
  await inbox.until(({ dead }) => dead === 1)
  const group = await json<GroupDetail>(path)
  expect(group).toMatchObject({ state: 'open', count: 1 })
  expect(group.audits?.[0]).toMatchObject({
    action: 'reopenGroup',
    actor: 'the program',
    reason: 'It failed again after it was resolved.',
  })
})

it('lists the operations on a group among its changes', async () => {
  const { receiver, until } = await openFilledInbox()
  const [{ group = '' } = {}] = (await receiver.failures()).filter(({ dead }) => dead === 1)
  const path = `${await listen(consoleHandler(receiver, all))}/api/groups/${encodeURIComponent(group)}`
  const run = async (where: object, audit: { reason: string; actor: string }) => {
    const handle = await receiver.run(await receiver.plan({ action: 'replay', where }), audit)
    await handle.finished()
    await until(({ dead }) => dead === 1)
    return handle.id
  }
  await run({ type: 'transfer.failed' }, { reason: 'by its type', actor: 'operator 2' })
  expect((await json<GroupDetail>(path)).audits).toEqual([])
  const ofGroup = await run({ group }, { reason: 'the bank is back', actor: 'operator 3' })
  await fetch(`${path}/acknowledge`, act('known', {}, await asShown(path)))
  const { audits } = await json<GroupDetail>(path)
  expect(audits).toMatchObject([
    { action: 'acknowledgeGroup' },
    { action: 'replay', actor: 'operator 3', reason: 'the bank is back', run: ofGroup, count: 1 },
  ])
})

it('lists the changes of a group also where the store has no operations', async () => {
  const { receiver } = await openFilledInbox(async () => {
    const store = await sqlite()
    const { bulk: _, ...inbox } = store.inbox as NonNullable<typeof store.inbox>
    return { ...store, inbox }
  })
  const [{ group = '' } = {}] = (await receiver.failures()).filter(({ dead }) => dead === 1)
  const path = `${await listen(consoleHandler(receiver, all))}/api/groups/${encodeURIComponent(group)}`
  await fetch(`${path}/acknowledge`, act('known', {}, await asShown(path)))
  expect(await json<GroupDetail>(path)).toMatchObject({ audits: [{ action: 'acknowledgeGroup' }] })
})

it('shows what changed since the last success of the type', async () => {
  let isBroken = false
  const inbox = await openInbox(undefined, {
    'user.verified': async () => {
      if (isBroken) {
        throw new Error('no name')
      }
    },
  })
  await inbox.send('user.verified', { userId: 'u', fullName: 'Ada', isAdult: true }, 'evt_good')
  await inbox.until(({ done }) => done === 1)
  isBroken = true
  await inbox.send('user.verified', { userId: 'u', displayName: 'Ada', isAdult: true }, 'evt_bad')
  await inbox.until(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(inbox.receiver, { ...all, mask: ['data.userId'] }))
  const renamed = [{ change: 'renamed', path: 'data.displayName', before: 'data.fullName', type: 'string' }]
  const event = await json<EventDetail>(`${url}/api/events/evt_bad`)
  expect(event.shapeChanges).toEqual(renamed)
  const group = await json<GroupDetail>(`${url}/api/groups/${encodeURIComponent(event.group ?? '')}`)
  expect(group.shapeChanges).toEqual(renamed)
  expect(Date.parse(group.lastSuccessAt ?? '')).toBeGreaterThan(0)
})

it('a group that does not exist is 404, for a view and for an act', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(consoleHandler(receiver, all))
  const answer = await fetch(`${url}/api/groups/payments:none`)
  // The words of the page.
  expect([answer.status, await answer.json()]).toEqual([
    404,
    expect.objectContaining({ detail: expect.stringMatching(/^There is no such cause\./) }),
  ])
  expect((await fetch(`${url}/api/groups/payments:none/resolve`, act('x'))).status).toBe(404)
  expect((await fetch(`${url}/api/groups/payments:none/reopen`, act('x'))).status).toBe(404)
})

it('lists the causes with the most events first, or with the most dead ones, page by page', async () => {
  const inbox = await openFilledInbox()
  for (const id of ['evt_1', 'evt_2']) {
    await inbox.send('payout.returned', {}, id)
    await inbox.sendRaw(`no JSON of ${id}`)
  }
  await inbox.until(({ dead, quarantined }) => dead === 3 && quarantined === 3)
  const url = await listen(consoleHandler(inbox.receiver, all))
  const page = (query: string) => json<Page<GroupRow>>(`${url}/api/groups?${query}`)
  const countsOf = ({ rows }: Page<GroupRow>) => rows.map(({ count, dead }) => [count, dead])
  const byEvents = [
    [3, 0],
    [2, 2],
    [1, 1],
  ]
  expect(countsOf(await page('sort=events'))).toEqual(byEvents)
  expect(countsOf(await page('sort=dead'))).toEqual([...byEvents.slice(1), [3, 0]])
  const first = await page('sort=events&limit=2')
  expect([countsOf(first), first.next]).toEqual([byEvents.slice(0, 2), '2'])
  const last = await page('sort=events&limit=1&cursor=2')
  expect([countsOf(last), last.next]).toEqual([byEvents.slice(2), undefined])
})

it('shows the error of the example, and what to do about it', async () => {
  const { receiver } = await openFilledInbox()
  const [{ group = '' } = {}] = (await receiver.failures()).filter(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(receiver, all))
  expect(await json<GroupDetail>(`${url}/api/groups/${encodeURIComponent(group)}`)).toMatchObject({
    example: 'evt_dead',
    error: expect.stringContaining('transfer.failed evt_dead failed'),
    advice: { fix: expect.stringMatching(/^fix the code that the error names/) },
  })
})
