import { expect, it } from 'vitest'
import { latencyOf } from '../../src/store/statistics-store.js'

const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)

it.each([
  ['nothing', [], undefined],
  ['a sample without durations', [{ seconds: [], events: 9 }], undefined],
  ['one sample', [{ seconds: hundred, events: 100 }], { p50: 50, p95: 95, p99: 99 }],
  [
    'a sample that stands for more events than another one',
    [
      { seconds: [1], events: 96 },
      { seconds: [7, 8, 9, 9], events: 4 },
    ],
    { p50: 1, p95: 1, p99: 9 },
  ],
  [
    'samples of more events than were counted',
    [
      { seconds: hundred, events: 0 },
      { seconds: [1000], events: 1 },
    ],
    { p50: 51, p95: 96, p99: 100 },
  ],
  [
    'weights whose sum is not exact',
    [{ seconds: [1, 2, 3, 4, 5, 6], events: 7 }],
    { p50: 3, p95: 6, p99: 6 },
  ],
  ['clocks that went back', [{ seconds: [-5, -3], events: 2 }], { p50: 0, p95: 0, p99: 0 }],
])('the latency of %s', (_, samples, found) => {
  expect(latencyOf(samples)).toEqual(found)
})
