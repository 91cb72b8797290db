import { describe, expect, test } from 'vitest'
import { type Behavior, failureOf, json, quickClient, reset, startService, wallet } from './setup/service.js'

const items = Array.from({ length: 45 }, (_, i) => ({ ...wallet, id: `wallet_kes_${i}` }))

/** Pages of a list that starts after the cursor. */
const pages: Behavior = (response, request) => {
  const query = new URL(request.path, 'http://service').searchParams
  const limit = Number(query.get('limit') ?? 20)
  const start = Number(query.get('cursor') ?? 0)
  const hasMore = start + limit < items.length
  const page = {
    data: items.slice(start, start + limit),
    hasMore,
    nextCursor: hasMore ? String(start + limit) : null,
  }
  json(200, page)(response, request)
}

describe('pagination', () => {
  test('for await goes over all items, page by page', async () => {
    const service = await startService(pages)
    const ids = []
    for await (const { id } of quickClient(service.url).wallets.list()) {
      ids.push(id)
    }
    expect(ids).toEqual(items.map(({ id }) => id))
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/v1/wallets',
      '/v1/wallets?cursor=20',
      '/v1/wallets?cursor=40',
    ])
  })

  test('requests nothing before the first item, and only the pages that it needs', async () => {
    const service = await startService(pages)
    const list = quickClient(service.url).wallets.list({ limit: 10 })
    expect(service.requests).toEqual([])
    for await (const { id } of list) {
      if (id === 'wallet_kes_9') {
        break
      }
    }
    expect(service.requests.map(({ path }) => path)).toEqual(['/v1/wallets?limit=10'])
  })

  test('iterates over a list again from its start', async () => {
    const service = await startService(pages)
    const list = quickClient(service.url).wallets.list({ limit: 100 })
    for (const _round of [1, 2]) {
      let count = 0
      for await (const _item of list) {
        count++
      }
      expect(count).toBe(45)
    }
  })

  test('starts at a cursor', async () => {
    const service = await startService(pages)
    const ids = []
    for await (const { id } of quickClient(service.url).wallets.list({ cursor: '43' })) {
      ids.push(id)
    }
    expect(ids).toEqual(['wallet_kes_43', 'wallet_kes_44'])
  })

  test('page() gives one page and the cursor of the next', async () => {
    const service = await startService(pages)
    const list = quickClient(service.url).wallets.list()
    const first = await list.page({ limit: 30 })
    expect(first).toMatchObject({ hasMore: true, nextCursor: '30' })
    const second = await list.page({ limit: 30, cursor: first.nextCursor ?? undefined })
    expect(second.data).toEqual(items.slice(30))
    expect(second).toMatchObject({ hasMore: false, nextCursor: null })
  })

  test('retries a page, and continues after it', async () => {
    const service = await startService(pages, reset, pages)
    let count = 0
    for await (const _item of quickClient(service.url).wallets.list()) {
      count++
    }
    expect(count).toBe(45)
    expect(service.requests).toHaveLength(4)
  })

  test('a cursor is sent as it was given', async () => {
    const service = await startService(json(200, { data: [], hasMore: false, nextCursor: null }))
    await quickClient(service.url).events.list().page({ cursor: 'a&b=c/+ %' })
    const path = service.requests[0]?.path ?? ''
    expect(new URL(path, 'http://service').searchParams.get('cursor')).toBe('a&b=c/+ %')
  })

  test('ends where the service repeats a cursor', async () => {
    const service = await startService(json(200, { data: [wallet], hasMore: true, nextCursor: 'same' }))
    const seen: unknown[] = []
    const all = async () => {
      for await (const item of quickClient(service.url).wallets.list()) {
        seen.push(item)
      }
    }
    expect(await failureOf(all())).toMatchObject({ name: 'ApiError', code: 'invalid_response' })
    expect(seen).toHaveLength(1)
  })

  test('ends where there is no next cursor, whatever hasMore says', async () => {
    const service = await startService(json(200, { data: [wallet], hasMore: true, nextCursor: null }))
    let count = 0
    const list = quickClient(service.url).wallets.list()
    for await (const _item of list) {
      count++
    }
    expect(count).toBe(1)
    expect(await list.page()).toMatchObject({ hasMore: false, nextCursor: null })
  })

  test('ends where there is no more, whatever the cursor says', async () => {
    const service = await startService(json(200, { data: [wallet], hasMore: false, nextCursor: 'next' }))
    const list = quickClient(service.url).wallets.list()
    expect(await list.page()).toMatchObject({ hasMore: false, nextCursor: 'next' })
    for await (const _item of list) {
      expect(service.requests).toHaveLength(2)
    }
    expect(service.requests).toHaveLength(2)
  })

  test.each([0, 101, 1.5, Number.NaN])('rejects a limit of %d items', async (limit) => {
    const service = await startService(pages)
    expect(await failureOf(quickClient(service.url).wallets.list({ limit }).page())).toMatchObject({
      name: 'UsageError',
    })
    expect(service.requests).toEqual([])
  })

  test('a page without data is an error and no empty list', async () => {
    const service = await startService(json(200, { items: [] }))
    const failure = await failureOf(quickClient(service.url).wallets.list().page())
    expect(failure).toMatchObject({ name: 'ApiError', code: 'invalid_response', status: 200 })
  })

  test('a signal ends the iteration', async () => {
    const service = await startService(pages)
    const controller = new AbortController()
    const reason = new Error('enough')
    const all = async () => {
      for await (const { id } of quickClient(service.url).wallets.list({}, { signal: controller.signal })) {
        if (id === 'wallet_kes_19') {
          controller.abort(reason)
        }
      }
    }
    expect(await failureOf(all())).toBe(reason)
    expect(service.requests).toHaveLength(1)
  })
})
