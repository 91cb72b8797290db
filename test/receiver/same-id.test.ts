import { afterEach, describe, expect, it, vi } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'

const base = { secret, now: clock, logger: false } as const

afterEach(() => {
  removeFiles()
  vi.restoreAllMocks()
})

describe('the same id', () => {
  const { data, ...envelope } = settled
  const { transferId, ...rest } = data
  const respelled: [name: string, body: object | string][] = [
    ['white space', JSON.stringify(settled, null, 1)],
    ['key order', { data: { ...rest, transferId }, ...envelope }],
    [
      'envelope form',
      {
        id: settled.id,
        type: settled.type,
        product: 'transfers',
        created_at: settled.createdAt,
        data: { transfer_id: transferId, status: 'settled', rail: 'mobile_money', ledger_state: 'matched' },
      },
    ],
    ['time', { ...settled, createdAt: '2026-01-02T03:04:06Z' }],
  ]

  const stores: [name: string, make: () => Store<unknown>][] = [
    ['a store of ids', () => memoryStore() as Store<unknown>],
    ['a store of bodies', () => sqliteStore(newFile()) as Store<unknown>],
  ]

  describe.each(stores)('in %s', (_, makeStore) => {
    it.each(respelled)('with another %s is a duplicate', async (_, body) => {
      const store = makeStore()
      const handler = vi.fn()
      const receiver = createReceiver({ ...base, store, fallback: handler })
      await receiver.receive(await delivery())
      expect(await receiver.receive(await delivery(body))).toMatchObject({
        outcome: 'duplicate',
        status: 200,
      })
      expect(handler).toHaveBeenCalledTimes(1)
      await store.close()
    })

    it('with other data is a conflict and never runs', async () => {
      const store = makeStore()
      const handler = vi.fn()
      const receiver = createReceiver({ ...base, store, fallback: handler })
      await receiver.receive(await delivery())
      const other = { ...settled, data: { ...settled.data, rail: 'card' } }
      expect(await receiver.receive(await delivery(other))).toMatchObject({ code: 'event_id_conflict' })
      expect(handler).toHaveBeenCalledTimes(1)
      await store.close()
    })
  })

  describe('of an event that waits in a queue', () => {
    const waiting = async () => {
      const store = sqliteStore(newFile()) as Store<unknown>
      const receiver = createReceiver({ ...base, store, queue: localQueue() as never, fallback: () => {} })
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'accepted' })
      return { store, receiver }
    }

    it.each(respelled)('with another %s is a duplicate', async (_, body) => {
      const { store, receiver } = await waiting()
      expect(await receiver.receive(await delivery(body))).toMatchObject({
        outcome: 'duplicate',
        status: 200,
      })
      expect(await receiver.quarantined()).toEqual([])
      await store.close()
    })

    it('with other data is quarantined as a conflict', async () => {
      const { store, receiver } = await waiting()
      const other = { ...settled, data: { ...settled.data, rail: 'card' } }
      expect(await receiver.receive(await delivery(other))).toMatchObject({
        outcome: 'quarantined',
        code: 'event_id_conflict',
      })
      expect(await receiver.quarantined()).toMatchObject([{ code: 'event_id_conflict', eventId: settled.id }])
      expect(await receiver.list()).toMatchObject([{ id: settled.id, state: 'accepted' }])
      await store.close()
    })
  })

  it('is the same event even if a schema or resource() changes its data', async () => {
    const change = (data: unknown) => {
      Object.assign(data as object, { changed: Math.random() })
      return { value: data }
    }
    const schemas = {
      'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate: change } },
    } as const
    const receiver = createReceiver({ ...base, store: memoryStore(), schemas, fallback: () => {} })
    await receiver.receive(await delivery())
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'duplicate' })
  })

  it('at another endpoint is another event', async () => {
    const handler = vi.fn()
    const store = memoryStore()
    for (const endpoint of ['a', 'b']) {
      const receiver = createReceiver({ ...base, store, endpoint, fallback: handler })
      expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed' })
    }
    expect(handler).toHaveBeenCalledTimes(2)
  })
})

describe('numbers that JavaScript cannot represent exactly', () => {
  const body = JSON.stringify({ ...settled, type: 'x' }).replace('"tr_1"', '"tr_1","n":9007199254740993')

  it('are rejected, or rounded with a warning if the option says so', async () => {
    const refusing = createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
    expect(await refusing.receive(await delivery(body))).toMatchObject({ code: 'invalid_data' })
    const warnings: unknown[] = []
    const rounding = createReceiver({
      ...base,
      store: memoryStore(),
      inexactNumbers: 'round',
      fallback: (_event, context) => warnings.push(...context.warnings),
    })
    expect(await rounding.receive(await delivery(body))).toMatchObject({ outcome: 'processed' })
    expect(warnings).toEqual(['JavaScript cannot represent data.n exactly: it was rounded'])
  })
})
