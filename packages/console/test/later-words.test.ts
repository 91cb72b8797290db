import { expect, it } from 'vitest'
import { laterWordsOfMany } from '../src/views/later-words.js'

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
