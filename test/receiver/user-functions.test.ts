import { afterEach, describe, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, secret, settled } from './deliver.js'
import { odd, rejectingList, throwing } from './odd-values.js'
import { unhandledRejections } from './unhandled.js'

const unhandled = unhandledRejections()

afterEach(removeFiles)

const base = { secret, now: clock, logger: false } as const

const explode = () => {
  throw new Error('exploded')
}

/** A store that keeps events, with a queue that never runs them. */
function durable(options: object = {}) {
  process.on('unhandledRejection', unhandled)
  const store = sqliteStore(newFile()) as Store<unknown>
  const queue = { guarantee: 'none', consume: async () => async () => {} }
  const receiver = createReceiver({ ...base, store, queue, fallback: () => {}, ...options } as never)
  return { store, receiver }
}

describe('resource()', () => {
  it.each([
    ...odd,
    ['a proxy that throws', () => new Proxy({}, { get: explode, getPrototypeOf: explode })],
    ['an empty string', () => ''],
    ['513 characters', () => 'x'.repeat(513)],
    ['a zero character', () => 'a\0b'],
    ['a lone surrogate', () => '\ud800'],
  ])('that returns %s fails the delivery, and nothing is kept', async (_, resource) => {
    const { store, receiver } = durable({ resource })
    expect(await receiver.receive(await delivery())).toMatchObject({
      status: 500,
      code: 'handler_failed',
      detail: 'in resource()',
      cause: expect.any(TypeError),
    })
    expect(await receiver.list()).toEqual([])
    await store.close()
  })

  it.each(throwing)('that throws %s fails the delivery', async (_, resource) => {
    const { store, receiver } = durable({ resource })
    expect(await receiver.receive(await delivery())).toMatchObject({
      status: 500,
      code: 'handler_failed',
      detail: 'in resource()',
    })
    await store.close()
  })

  it.each([
    ['a number', 5],
    ['an empty text', ''],
    ['an object', { id: 'tr_1' }],
  ])('that fails because the data has %s keeps the event as dead', async (_, transferId) => {
    const resource = ({ data }: { data: { transferId: string } }) => data.transferId
    const { store, receiver } = durable({ resource })
    const body = { ...settled, data: { ...settled.data, transferId } }
    expect(await receiver.receive(await delivery(body))).toMatchObject({
      status: 200,
      outcome: 'quarantined',
      code: 'invalid_data',
    })
    const event = await receiver.inspect('evt_1')
    expect(event).toMatchObject({ state: 'dead', lastError: expect.stringContaining('data.transferId') })
    expect(event?.resource).toBeUndefined()
    expect(await receiver.receive(await delivery(body))).toMatchObject({ status: 200 })
    await store.close()
  })

  it.each([
    ['undefined', undefined, undefined],
    ['null', null, undefined],
    ['512 characters', 'x'.repeat(512), 'x'.repeat(512)],
  ])('may return %s', async (_, resource, kept) => {
    const { store, receiver } = durable({ resource: () => resource })
    expect(await receiver.receive(await delivery())).toMatchObject({
      outcome: 'accepted',
      source: 'delivery',
    })
    expect((await receiver.inspect('evt_1'))?.resource).toBe(kept)
    await store.close()
  })
})

describe('now()', () => {
  it.each([
    ...odd.filter(([name]) => name !== 'a number'),
    ...throwing,
    ['a text', () => '1700000000'],
    ['undefined', () => undefined],
  ])('that returns or throws %s accepts nothing', async (_, now) => {
    process.on('unhandledRejection', unhandled)
    const fallback = vi.fn()
    const receiver = createReceiver({ ...base, now: now as never, store: memoryStore(), fallback })
    expect(await receiver.receive(await delivery())).toMatchObject({
      status: 500,
      code: 'handler_failed',
      detail: 'in now()',
    })
    expect(fallback).not.toHaveBeenCalled()
  })
})

describe('a handler and onResult', () => {
  it.each([...odd, ['undefined', () => undefined]])('may return %s', async (_, make) => {
    process.on('unhandledRejection', unhandled)
    const rejects = _ === 'a promise that rejects'
    // Work of a handler that it does not wait for is lost. Node reports that, and the receiver does not hide it.
    const fallback = _ === rejectingList ? () => {} : make
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback, onResult: make })
    const result = await receiver.receive(await delivery())
    expect(result.outcome).toBe(rejects ? 'failed' : 'processed')
  })

  it.each(throwing)('may throw %s', async (_, make) => {
    process.on('unhandledRejection', unhandled)
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback: make, onResult: make })
    expect(await receiver.receive(await delivery())).toMatchObject({ status: 500, code: 'handler_failed' })
  })
})

describe('a logger', () => {
  const failing: [name: string, log: () => unknown][] = [
    ...throwing,
    ['a rejection', () => Promise.reject(new Error('disk full'))],
    ['a list of rejections', () => [Promise.reject(new Error('disk full'))]],
    ['a late rejection', async () => Promise.reject(new Error('disk full'))],
    [
      'a then that throws',
      () =>
        Object.defineProperty({}, 'then', {
          get() {
            throw new Error('then')
          },
        }),
    ],
  ]

  it.each(failing)('that fails with %s changes no response and does not end the process', async (_, log) => {
    process.on('unhandledRejection', unhandled)
    const logger = { info: log, warn: log, error: log }
    const receiver = createReceiver({
      ...base,
      logger,
      store: memoryStore(),
      handlers: { 'transfer.settled': () => Promise.reject(new Error('x')) },
      onResult: () => {
        throw new Error('y')
      },
    })
    await receiver.start()
    expect(await receiver.receive({ headers: {}, body: new Uint8Array() })).toMatchObject({ status: 415 })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_failed' })
    expect(await receiver.receive(await delivery({ ...settled, id: 'evt_2', type: 'y' }))).toMatchObject({
      outcome: 'ignored',
    })
  })
})

it('a resolver that returns a sparse list has no secret', async () => {
  const secret = (() => new Array(2)) as never
  const receiver = createReceiver({ ...base, secret, store: memoryStore(), fallback: () => {} })
  expect(await receiver.receive(await delivery())).toMatchObject({ status: 503, code: 'secret_unavailable' })
})

it.each([
  ['sandbox', 'sandbox'],
  ['card 4111111111111111', undefined],
  ['x'.repeat(33), undefined],
])('the environment %s is shown only where it is a short name', async (environment, detail) => {
  const options = { ...base, store: memoryStore(), environments: ['production'], fallback: () => {} }
  const result = await createReceiver(options).receive(await delivery({ ...settled, environment }))
  expect([result.code, result.detail]).toEqual(['environment_not_allowed', detail])
})
