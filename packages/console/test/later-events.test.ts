import { describe, expect, it } from 'vitest'
import type { Receiver, StoredEvent } from 'webhook-inbox'
import { laterDone, laterDoneOfMany } from '../src/views/later-done.js'
import { oldestOf } from '../src/views/oldest-of.js'

describe('the later events of a resource', () => {
  const stored = (key: string, over: object = {}) =>
    ({
      key,
      id: `evt_${key}`,
      resource: 'r',
      receivedAt: `2026-01-01T00:00:0${key}Z`,
      ...over,
    }) as unknown as StoredEvent
  const listing = (events: readonly StoredEvent[]) => {
    const asked: Record<string, unknown>[] = []
    const receiver = {
      list: async (query: Record<string, unknown>) => {
        asked.push(query)
        const after =
          query.order === 'newest'
            ? events.toReversed()
            : events.filter(({ key }) => key > String(query.after ?? ''))
        return after.slice(0, query.limit as number)
      },
    } as unknown as Receiver
    return { receiver, asked }
  }

  it('are counted up to ten, without the copies of this one', async () => {
    const many = Array.from({ length: 12 }, (_, at) => stored(`5${at}`))
    const { receiver, asked } = listing(many)
    expect(await laterDone(receiver, stored('1'))).toBe(10)
    expect(asked).toEqual([{ resource: 'r', state: 'done', after: '1', limit: 10, bodies: false }])
    expect(await laterDone(receiver, stored('1', { resource: undefined }))).toBeUndefined()
    expect(await laterDone(listing([]).receiver, stored('1'))).toBeUndefined()
    const copies = listing([stored('2', { parent: 'evt_1' }), stored('3')])
    expect(await laterDone(copies.receiver, stored('1', { root: 'evt_1' }))).toBe(1)
    expect(copies.asked[0]?.limit).toBe(110)
  })

  it('of many are found by time, within a millisecond by their order, and behind a copy', async () => {
    const of = (events: readonly StoredEvent[], done: readonly StoredEvent[]) =>
      laterDoneOfMany(listing(done).receiver, events, false)
    const one = stored('3')
    expect(await of([one], [stored('2')])).toEqual({ count: 0, lookedAt: 1, isCapped: false })
    expect(await of([one], [stored('4')])).toMatchObject({ count: 1 })
    expect(await of([one], [one])).toMatchObject({ count: 0 })
    expect(await of([one], [stored('4', { receivedAt: one.receivedAt })])).toMatchObject({ count: 1 })
    expect(await of([one], [stored('2', { receivedAt: one.receivedAt })])).toMatchObject({ count: 0 })
    expect(await of([one], [stored('4', { parent: 'evt_3' })])).toMatchObject({ count: 0 })
    const behind = [stored('4'), stored('5', { parent: 'evt_3' }), stored('6', { parent: 'evt_3' })]
    expect(await of([one], behind)).toMatchObject({ count: 1 })
    expect(await of([stored('3', { resource: undefined })], [stored('4')])).toMatchObject({
      count: 0,
      lookedAt: 1,
    })
    expect(await laterDoneOfMany(listing([]).receiver, [], true)).toEqual({
      count: 0,
      lookedAt: 0,
      isCapped: true,
    })
  })

  it('are looked for of 200 resources', async () => {
    const events = Array.from({ length: 202 }, (_, at) => stored('1', { resource: `r${Math.min(at, 200)}` }))
    const { receiver, asked } = listing([])
    expect(await laterDoneOfMany(receiver, events, false)).toEqual({
      count: 0,
      lookedAt: 200,
      isCapped: true,
    })
    expect(asked).toHaveLength(200)
    expect(asked[0]).toEqual({ resource: 'r0', state: 'done', order: 'newest', limit: 2, bodies: false })
    const fewer = await laterDoneOfMany(listing([]).receiver, events.slice(0, 200), false)
    expect(fewer).toEqual({ count: 0, lookedAt: 200, isCapped: false })
  })

  it('are read in parts of 500', async () => {
    const { receiver, asked } = listing(Array.from({ length: 1200 }, (_, at) => stored(String(1000 + at))))
    expect(await oldestOf(receiver, { type: 'a' }, 1100)).toHaveLength(1100)
    expect(asked.map(({ limit, after }) => [limit, after])).toEqual([
      [500, undefined],
      [500, '1499'],
      [100, '1999'],
    ])
    expect(await oldestOf(receiver, {}, 3000)).toHaveLength(1200)
    expect(await oldestOf(listing([]).receiver, {}, 5)).toEqual([])
  })
})
