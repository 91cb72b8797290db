import { expect, test } from 'vitest'
import * as z from 'zod'
import { firstIssue, IdempotencyKey, PageQuery, pageOf, WalletId } from '../../src/schemas/index.js'
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

test('a page is a list with its cursor, and may have more fields', () => {
  const page = pageOf(WalletId, 'WalletIdPage')
  const last = { data: ['wallet_kes_ada'], hasMore: false, nextCursor: null, total: 1 }
  expect(page.parse(last)).toEqual(last)
  for (const field of ['data', 'hasMore', 'nextCursor']) {
    expect(param(page, { ...last, [field]: 7 })).toBe(field)
  }
  expect(param(page, { ...last, data: ['ada'] })).toBe('data[0]')
  expect(page.meta()).toEqual({
    id: 'WalletIdPage',
    description: 'A page of a list.',
    'x-assumed': 'G15',
  })
  expect(page.shape.nextCursor.meta()).toEqual({ description: 'null on the last page.' })
})

test('an error without issues has a message all the same', () => {
  expect(firstIssue(new z.ZodError([]))).toEqual({ message: 'is not valid' })
})
