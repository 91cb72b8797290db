import { expect, test } from 'vitest'
import { judgeSources, mostInDay, type SourceFacts } from '../../src/store/sources.js'

const hour = 3_600_000
const now = Date.UTC(2026, 0, 2)
const facts = (over: Partial<SourceFacts> = {}): SourceFacts => {
  const { seen = 48 } = over
  return { type: 't', lastAt: now - 2 * hour, seen, seenWithEndpoint: seen, hasUnread: false, ...over }
}
const silent = (...of: SourceFacts[]) =>
  judgeSources(of, { now, isCapped: false }).sources.map(({ isSilent }) => isSilent)

test('no facts are no sources', () => {
  for (const isCapped of [true, false]) {
    expect(judgeSources([], { now, isCapped })).toEqual({ sources: [], isCapped })
  }
})

test('the endpoint is the sum of its types, since the last event of any', () => {
  const both = [
    facts({ type: 'a', seen: 3 }),
    facts({ type: 'b', seen: 5, seenWithEndpoint: 1, lastAt: now }),
  ]
  expect(judgeSources(both, { now, isCapped: false })).toEqual({
    isCapped: false,
    sources: [
      {
        lastReceivedAt: '2026-01-02T00:00:00.000Z',
        inLastDay: { count: 4, isCapped: false },
        isSilent: false,
      },
      {
        type: 'a',
        lastReceivedAt: '2026-01-01T22:00:00.000Z',
        inLastDay: { count: 3, isCapped: false },
        isSilent: false,
      },
      {
        type: 'b',
        lastReceivedAt: '2026-01-02T00:00:00.000Z',
        inLastDay: { count: 5, isCapped: false },
        isSilent: false,
      },
    ],
  })
})

test('a source is silent if more than twenty events are missing, and not at twenty', () => {
  // 240 a day are ten an hour.
  expect(silent(facts({ seen: 240 }))).toEqual([false, false])
  expect(silent(facts({ seen: 240, lastAt: now - 2 * hour - 1 }))).toEqual([true, true])
})

test('no source is silent within an hour, however many came', () => {
  const many = { seen: mostInDay + 1, seenWithEndpoint: mostInDay + 1 }
  const sum = [facts({ ...many, lastAt: now - 0.99 * hour }), facts({ ...many, lastAt: now - 3 * hour })]
  expect(silent(...sum)).toEqual([false, false, true])
  expect(silent(facts({ ...many, lastAt: now - hour }))).toEqual([true, true])
  const [endpoint] = judgeSources(sum, { now, isCapped: false }).sources
  expect(endpoint?.inLastDay).toEqual({ count: mostInDay, isCapped: true })
})

test('a source with unread events is not silent, nor is an endpoint with one or with unread types', () => {
  const [stopped, unread] = [facts({ seen: 480 }), facts({ seen: 480, hasUnread: true })]
  expect(silent(stopped, stopped)).toEqual([true, true, true])
  expect(silent(stopped, unread)).toEqual([false, true, false])
  const capped = judgeSources([stopped], { now, isCapped: true })
  expect(capped.isCapped).toBe(true)
  expect(capped.sources.map(({ isSilent }) => isSilent)).toEqual([false, true])
})
