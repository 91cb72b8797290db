import { expect, test } from 'vitest'
import { IdempotencyKey, PageQuery } from '../../src/schemas/index.js'
import { param } from './refusal.js'

test('an idempotency key is 1 to 255 visible ASCII characters', () => {
  expect(IdempotencyKey.safeParse('a'.repeat(255)).success).toBe(true)
  for (const key of ['', 'a'.repeat(256), 'a b', 'ä', 'a\n']) {
    expect(IdempotencyKey.safeParse(key).success).toBe(false)
  }
})

test('a page has 1 to 100 items, and 20 by default', () => {
  expect(PageQuery.parse({})).toEqual({ limit: 20 })
  expect(PageQuery.parse({ limit: '100' }).limit).toBe(100)
  for (const limit of ['0', '101', '1.5', 'x', '-1', '']) {
    expect(param(PageQuery, { limit })).toBe('limit')
  }
})
