import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { EventRow, GroupDetail, GroupRow, Page, PlanView } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openInbox } from './rig.js'

/** Events that fail at two places of the program, each with the text in its data. */
async function openPlaces(
  data: readonly { readonly at: 'left' | 'right'; readonly text: string }[],
  over: object = {},
) {
  const left = (text: string) => {
    throw new Error(text)
  }
  const right = (text: string) => {
    throw new Error(text)
  }
  const inbox = await openInbox(undefined, {
    async 'ledger.noted'({ data: { at, text } }: { data: { at: string; text: string } }) {
      return at === 'left' ? left(text) : right(text)
    },
  } as never)
  for (const [number, each] of data.entries()) {
    await inbox.send('ledger.noted', each, `evt_${number}`)
  }
  await inbox.until(({ dead }) => dead === data.length)
  return { ...inbox, api: `${await listen(consoleHandler(inbox.receiver, { ...all, ...over }))}/api` }
}

it('causes with different titles have no error in a list', async () => {
  const { api } = await openPlaces([
    { at: 'left', text: 'no account' },
    { at: 'right', text: 'no customer' },
  ])
  const { rows } = await json<Page<GroupRow>>(`${api}/groups`)
  expect(rows.map(({ title, error }) => [title, error]).sort()).toEqual([
    ['Error: no account', undefined],
    ['Error: no customer', undefined],
  ])
})

it('causes with one title are told apart by their errors', async () => {
  const { api } = await openPlaces([
    { at: 'left', text: 'no account 17' },
    { at: 'right', text: 'no account 18' },
  ])
  const { rows } = await json<Page<GroupRow>>(`${api}/groups`)
  expect(rows.map(({ title }) => title)).toEqual(['Error: no account *', 'Error: no account *'])
  expect(rows.map(({ error }) => error).sort()).toEqual([
    'handler_failed: Error: no account 17',
    'handler_failed: Error: no account 18',
  ])
  const plan = await json<PlanView>(`${api}/plans`, act('', {}, { action: 'replay' }))
  expect(plan.causes?.rows.map(({ title }) => title).sort()).toEqual([
    'Error: no account * (handler_failed: Error: no account 17)',
    'Error: no account * (handler_failed: Error: no account 18)',
  ])
})

it('a title that was cut ends with an ellipsis, and has the rest of its error beside it', async () => {
  const long = `no account ${'of the customer '.repeat(20)}is open`
  const { api } = await openPlaces([{ at: 'left', text: long }])
  const { rows } = await json<Page<GroupRow>>(`${api}/groups`)
  expect(rows[0]?.title).toMatch(/^Error: no account of the customer .{150,}…$/)
  expect(rows[0]?.error).toMatch(/^….*of the customer is open$/)
})

it('errors behind a mask tell causes apart without their masked values', async () => {
  const data = [
    { at: 'left', text: 'no account of Ada Lovelace' },
    { at: 'right', text: 'no account of Grace Hopper' },
  ] as const
  const { api } = await openPlaces(data, { mask: ['data.text'] })
  const text = await (await fetch(`${api}/groups`)).text()
  expect(text).not.toMatch(/Lovelace|Hopper/)
  expect((JSON.parse(text) as Page<GroupRow>).rows).toHaveLength(2)
})

it('the error of a cause is that of an event that is in it now', async () => {
  const { api, receiver, until } = await openPlaces([
    { at: 'left', text: 'no account 17' },
    { at: 'left', text: 'no account 18' },
  ])
  const [cause] = await receiver.failures()
  const path = `${api}/groups/${encodeURIComponent(cause?.group ?? '')}`
  expect((await json<GroupDetail>(path)).error).toBe(
    `handler_failed: Error: no account ${cause?.example === 'evt_0' ? 17 : 18}`,
  )
  await receiver.discard(cause?.example ?? '', { reason: 'a test', actor: 'Ann' })
  await until(({ dead }) => dead === 1)
  const left = await json<GroupDetail>(path)
  expect(left).toMatchObject({ count: 1, dead: 1 })
  expect(left.error).toBe(`handler_failed: Error: no account ${cause?.example === 'evt_0' ? 18 : 17}`)
  const other = cause?.example === 'evt_0' ? 'evt_1' : 'evt_0'
  await receiver.discard(other, { reason: 'a test', actor: 'Ann' })
  const empty = await json<GroupDetail>(path)
  expect(empty.count).toBe(0)
  expect(empty).not.toHaveProperty('error')
})

it('a list of causes goes page by page, the last seen first, and by state', async () => {
  const { api, receiver } = await openPlaces([
    { at: 'left', text: 'no account' },
    { at: 'right', text: 'no customer' },
    { at: 'right', text: 'no bank' },
  ])
  const found = await json<Page<GroupRow>>(`${api}/groups`)
  expect(found).not.toHaveProperty('next')
  const groups = found.rows.map(({ group }) => group)
  const first = await json<Page<GroupRow>>(`${api}/groups?limit=2`)
  expect([first.rows.map(({ group }) => group), first.next]).toEqual([groups.slice(0, 2), groups[1]])
  const rest = await json<Page<GroupRow>>(
    `${api}/groups?limit=2&cursor=${encodeURIComponent(first.next ?? '')}`,
  )
  expect([rest.rows.map(({ group }) => group), rest.next]).toEqual([groups.slice(2), undefined])
  await receiver.resolveGroup(groups[1] ?? '', { reason: 'a test', actor: 'Ann' })
  const inState = async (query: string) =>
    (await json<Page<GroupRow>>(`${api}/groups?${query}`)).rows.map(({ group }) => group)
  expect(await inState('state=resolved')).toEqual([groups[1]])
  expect(await inState('state=resolved&sort=dead')).toEqual([groups[1]])
  expect((await inState('state=open&sort=events')).sort()).toEqual([groups[0], groups[2]].sort())
  expect((await inState('sort=dead&limit=3')).sort()).toEqual(groups.toSorted())
  const page = await json<Page<GroupRow>>(`${api}/groups?sort=dead&limit=2&cursor=2`)
  expect([page.rows.length, page.next]).toEqual([1, undefined])
})

it('a list of events says in which page the rest is, and who gave which one up', async () => {
  const { api, receiver } = await openPlaces([
    { at: 'left', text: 'no account' },
    { at: 'left', text: 'no account' },
    { at: 'left', text: 'no account' },
  ])
  const first = await json<Page<EventRow>>(`${api}/events?limit=2`)
  expect([first.rows.map(({ id }) => id), typeof first.next]).toEqual([['evt_2', 'evt_1'], 'string'])
  const rest = await json<Page<EventRow>>(
    `${api}/events?limit=2&cursor=${encodeURIComponent(first.next ?? '')}`,
  )
  expect([rest.rows.map(({ id }) => id), rest.next]).toEqual([['evt_0'], undefined])
  expect((await json<Page<EventRow>>(`${api}/events?limit=3`)).next).toBeUndefined()
  await receiver.pause({}, { reason: 'a test', actor: 'Ann' })
  await receiver.replay('evt_1', { reason: 'again', actor: 'Ann' })
  const plan = await receiver.plan({ action: 'giveUp' })
  await (await receiver.run(plan, { reason: 'paid by hand', actor: 'Ann' })).finished()
  const { rows } = await json<Page<EventRow>>(`${api}/events`)
  expect(rows.map(({ id, isGivenUp }) => [id, isGivenUp])).toEqual([
    ['evt_2', undefined],
    ['evt_1', true],
    ['evt_0', undefined],
  ])
})
