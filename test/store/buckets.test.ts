import { afterAll, expect, it } from 'vitest'
import { limitsOf, spanOf, spread } from '../../src/store/buckets.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { open } from '../stores/sqlite-rig.js'

afterAll(removeFiles)

const now = 1_000_000.5

it('divides the time since a moment', () => {
  const since = new Date((now - 600) * 1000)
  expect(spanOf({ endpoint: 'a', since, buckets: 6 }, now)).toEqual({ from: now - 600, bucketSeconds: 100 })
})

it('reads a second at least, also when the time is yet to come', () => {
  const since = new Date((now + 600) * 1000)
  expect(spanOf({ endpoint: 'a', since, buckets: 1 }, now)).toEqual({ from: now - 1, bucketSeconds: 1 })
})

it.each([
  [now, 999_720],
  [1_000_019.999, 999_720],
  [1_000_020, 999_780],
])('buckets of a length stay where they are until the last one ends: %d', (at, from) => {
  expect(spanOf({ endpoint: 'a', bucketSeconds: 60, buckets: 5 }, at)).toEqual({ from, bucketSeconds: 60 })
})

it.each([
  ['quiet buckets', [0, 1000, 5], [1000, 1000, 1000]],
  ['a burst', [0, 1001, 5], [1000, 10_000, 1000]],
  ['ten bursts', [10, ...Array(10).fill(1001)], [1000, ...Array(10).fill(5999)]],
  [
    'ten bursts beside as many as a quiet bucket has',
    [1000, ...Array(10).fill(1001)],
    [1000, ...Array(10).fill(5900)],
  ],
  ['all busy', Array(60).fill(1001), Array(60).fill(1000)],
  ['more of them', Array(100).fill(1001), Array(100).fill(1000)],
])('the limits of %s', (_, seen, limits) => {
  expect(limitsOf(seen)).toEqual(limits)
})

it.each([500, 5000, 200_000])(
  'the first hundred of %d events in their order come from all of them',
  (count) => {
    const database = open(newFile())
    const sample = database
      .prepare(
        `WITH RECURSIVE events (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM events LIMIT ${count})
       SELECT seq FROM events ORDER BY ${spread('seq')} LIMIT 100`,
      )
      .all() as { seq: number }[]
    database.close()
    for (let tenth = 0; tenth < 10; tenth++) {
      const found = sample.filter(({ seq }) => Math.floor(((seq - 1) * 10) / count) === tenth)
      expect(found.length, `tenth ${tenth}`).toBeGreaterThanOrEqual(5)
      expect(found.length, `tenth ${tenth}`).toBeLessThanOrEqual(15)
    }
  },
)
