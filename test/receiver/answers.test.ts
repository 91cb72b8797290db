import { describe, expect, it, vi } from 'vitest'
import { createGate, createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { delivery, now, settled } from './deliver.js'
import { base, receive, receiver } from './receive.js'
import { scriptedStore } from './scripted-store.js'

describe('answers of 200', () => {
  const ok = (outcome: string) => ({
    source: 'delivery',
    outcome,
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `{"outcome":"${outcome}","eventId":"evt_1"}`,
    eventId: 'evt_1',
    secretIndex: 0,
    signedAt: now,
  })

  it('processed, then duplicate', async () => {
    const same = receiver()
    const first = await same.receive(await delivery())
    expect(first).toEqual({ ...ok('processed'), event: first.event })
    expect(first.event).toMatchObject(settled)
    const again = await delivery(settled, { timestamp: now + 5 })
    expect(await same.receive(again)).toMatchObject({ ...ok('duplicate'), signedAt: now + 5 })
  })

  it('ignored, without a call to the store', async () => {
    const store = scriptedStore()
    const same = createReceiver({ ...base, store, handlers: {} })
    expect(await same.receive(await delivery())).toMatchObject(ok('ignored'))
    expect(store.calls).toEqual([])
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'ignored for the type %s',
    async (type) => {
      expect(await receiver().receive(await delivery({ ...settled, type }))).toMatchObject(ok('ignored'))
    },
  )

  it('with warnings for the operator but not for the sender', async () => {
    const odd = receiver({ handlers: { 'transfer.failed': () => {} } } as never)
    const result = await odd.receive(await delivery({ ...settled, type: 'transfer.failed', data: {} }))
    expect(result).toMatchObject({
      ...ok('processed'),
      warnings: ['data is not as expected: data.transferId (missing; expected string)'],
    })
  })
})

describe('retry-after', () => {
  it.each([
    [7.2, '8'],
    [0.01, '1'],
    [0, '1'],
    [-3, '1'],
    [60, '60'],
  ])('%d s is said as %s', async (retryAfterSeconds, expected) => {
    const store = scriptedStore({ once: async () => ({ state: 'busy', retryAfterSeconds }) })
    const result = await receive({}, { store })
    expect(result.headers['retry-after']).toBe(expected)
  })
})

describe('a gate', () => {
  it('runs the route once', async () => {
    const gate = createGate({ ...base, store: memoryStore() })
    const route = vi.fn(async () => {})
    expect(await gate.receive(await delivery(), route)).toMatchObject({ outcome: 'processed' })
    expect(route).toHaveBeenCalledTimes(1)
    expect(route).toHaveBeenCalledWith(
      expect.objectContaining({ id: 'evt_1' }),
      expect.objectContaining({ attempt: 1 }),
    )
    expect(await gate.receive(await delivery(), route)).toMatchObject({ outcome: 'duplicate' })
    expect(route).toHaveBeenCalledTimes(1)
  })

  it('releases the event when the route fails', async () => {
    const gate = createGate({ ...base, store: memoryStore() })
    const route = vi.fn().mockRejectedValueOnce(new Error('500')).mockResolvedValueOnce(undefined)
    expect(await gate.receive(await delivery(), route)).toMatchObject({ code: 'handler_failed' })
    expect(await gate.receive(await delivery(), route)).toMatchObject({ outcome: 'processed' })
    expect(route).toHaveBeenLastCalledWith(expect.anything(), expect.objectContaining({ attempt: 2 }))
  })
})
