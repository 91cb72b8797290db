import { expect, it } from 'vitest'
import { rateWords } from '../../page/src/rate.js'

const [minute, hour, day, week] = [60, 3600, 86_400, 604_800]

it.each([
  [0, hour, 'none'],
  [1, week, '1 a week'],
  [6, week, '6 a week'],
  [7, week, '1 a day'],
  [1, day, '1 a day'],
  [22, day, '22 a day'],
  [23, day, '1 an hour'],
  [2.5, hour, '2.5 an hour'],
  [9.94, hour, '9.9 an hour'],
  [9.96, hour, '10 an hour'],
  [56, hour, '56 an hour'],
  [57, hour, '1 a minute'],
  [60, hour, '1 a minute'],
  [56, minute, '56 a minute'],
  [57, minute, '1 a second'],
  [1234, 1, '1,234 a second'],
])('%s in %s seconds is %s', (count, seconds, words) => {
  expect(rateWords(count, seconds)).toBe(words)
})

it('marks a rate that is a lower limit', () => {
  expect(rateWords(2.5, hour, { isCapped: true })).toBe('2.5+ an hour')
})

it.each([
  [66, 49, ['66 an hour', '49 an hour']],
  [66, 60, ['1.1 a minute', '1 a minute']],
  [66, 0, ['1.1 a minute', 'none']],
])('shows %s and %s in an hour in one unit, to compare them', (one, other, words) => {
  expect([rateWords(one, hour, { beside: other }), rateWords(other, hour, { beside: one })]).toEqual(words)
})
