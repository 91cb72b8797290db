import { expect, it } from 'vitest'
import { diffLines } from '../../ui/src/diff.js'

const fastestOf = (work: () => unknown) =>
  Math.min(
    ...Array.from({ length: 5 }, () => {
      const from = performance.now()
      work()
      return performance.now() - from
    }),
  )

/** As many lines as are compared one by one. Each begins with the same text. */
const text = (same: string, letters: string) =>
  Array.from({ length: 2000 }, (_, i) => same + letters[i % letters.length]).join('\n')

it('takes no longer for long lines that differ in their last character', () => {
  const time = (same: string) => {
    const [left, right] = [text(same, 'abcdefg'), text(same, 'ABCDEFG')]
    return fastestOf(() => diffLines(left.split('\n'), right.split('\n')))
  }
  // A comparison of the lines themselves takes 25 times as long.
  expect(time('x'.repeat(500))).toBeLessThan(5 * time(''))
})

it('names the lines of one side only', () => {
  const lines = diffLines(['a', 'b', 'c', 'a'], ['a', 'c', 'd', 'a'])
  expect(lines.map(({ side, text }) => `${side} ${text}`)).toEqual([
    'same a',
    'left b',
    'same c',
    'right d',
    'same a',
  ])
})
