import { expect, it } from 'vitest'
import { laterWords, laterWordsOfMany } from '../src/views/later-words.js'

it.each([
  [0, ''],
  [
    1,
    'Of these events, 1 has a later event of the same resource that is done. It runs after that one, out of order.',
  ],
  [
    2,
    'Of these events, 2 have a later event of the same resource that is done. Each runs after that one, out of order.',
  ],
])('counts %i events that would run out of order', (count, words) => {
  expect(laterWordsOfMany({ count, lookedAt: 3, isCapped: false })).toBe(words)
})

it.each([
  [0, ''],
  [1, 'A later event of the same resource is done. The copy runs after that one, out of order.'],
  [2, '2 later events of the same resource are done. The copy runs after those, out of order.'],
  [9, '9 later events of the same resource are done. The copy runs after those, out of order.'],
  [10, 'Ten or more later events of the same resource are done. The copy runs after those, out of order.'],
])('counts %i later events of one', (count, words) => {
  expect(laterWords(count, 'The copy')).toBe(words)
})

it.each([
  [
    0,
    'Of the oldest 1,000 of these events, none has a later event of the same resource that is done. The others were not looked at.',
  ],
  [
    1200,
    'Of the oldest 1,000 of these events, 1,200 have a later event of the same resource that is done. Each runs after that one, out of order. The others were not looked at.',
  ],
])('says of %i events how many were looked at', (count, words) => {
  expect(laterWordsOfMany({ count, lookedAt: 1000, isCapped: true })).toBe(words)
})
