import { afterEach, describe, expect, it, vi } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { clock, delivery, lines, secret, settled } from './deliver.js'

const unhandled = vi.fn()

afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
  unhandled.mockReset()
  removeFiles()
})

const base = { secret, now: clock, logger: false } as const

const explode = () => {
  throw new Error('exploded')
}

/** Invalid values that a function written in JavaScript may return. */
const odd: [name: string, make: () => unknown][] = [
  ['true', () => true],
  ['a number', () => 7],
  ['NaN', () => Number.NaN],
  ['a bigint', () => 7n],
  ['a symbol', () => Symbol('x')],
  ['a list', () => ['tr_1', 'default']],
  ['an object', () => ({ id: 'tr_1' })],
  ['bytes', () => new Uint8Array(3)],
  ['a function', () => () => 'tr_1'],
  ['a promise', () => Promise.resolve('tr_1')],
  ['a promise that rejects', () => Promise.reject(new Error('late'))],
]

const throwing: [name: string, make: () => unknown][] = [
  [
    'an error',
    () => {
      throw new Error('broken')
    },
  ],
  [
    'undefined',
    () => {
      throw undefined
    },
  ],
  [
    'an object that cannot be printed',
    () => {
      throw Object.create(null)
    },
  ],
]

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

describe('a schema', () => {
  const schemasOf = (validate: () => unknown) => ({
    'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate } },
  })
  const results: [name: string, make: () => unknown][] = [
    ...odd,
    ...throwing.map(([name, make]): [string, () => unknown] => [`(throws) ${name}`, make]),
    ['undefined', () => undefined],
    ['null', () => null],
    ['neither value nor issues', () => ({})],
    ['issues that are a text', () => ({ issues: 'bad' })],
    ['an issue that is null', () => ({ issues: [null] })],
    ['an issue whose path is a text', () => ({ issues: [{ message: 'x', path: 'a.b' }] })],
    [
      'an issue whose path throws',
      () => ({ issues: [{ message: 'x', path: [{ key: Object.create(null) }] }] }),
    ],
    [
      'a result whose getter throws',
      () => ({
        get issues() {
          throw new Error('getter')
        },
      }),
    ],
  ]

  it.each(results)(
    'that returns %s fails the delivery, and the handler does not run',
    async (_, validate) => {
      process.on('unhandledRejection', unhandled)
      const fallback = vi.fn()
      const receiver = createReceiver({
        ...base,
        store: memoryStore(),
        schemas: schemasOf(validate) as never,
        fallback,
      })
      expect(await receiver.receive(await delivery())).toMatchObject({
        status: 500,
        code: 'handler_failed',
        detail: 'in the schema of transfer.settled',
      })
      expect(fallback).not.toHaveBeenCalled()
    },
  )

  it('may report issues in every form of the specification', async () => {
    const path = ['a', 1, Symbol('s'), { key: 'b' }]
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      schemas: schemasOf(() => ({ issues: [{ message: 'x', path }, { message: 'y' }] })) as never,
      fallback: () => {},
    })
    expect(await receiver.receive(await delivery())).toMatchObject({
      code: 'invalid_data',
      detail: 'data.a.1.Symbol(s).b, data',
    })
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
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback: make, onResult: make })
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

describe('promises that reject after the receiver stopped waiting', () => {
  const reject = () => Promise.reject(new Error('late'))

  it('in the list of a secret resolver are a failure of the resolver', async () => {
    process.on('unhandledRejection', unhandled)
    const resolver = (() => [reject(), reject()]) as never
    const receiver = createReceiver({ ...base, secret: resolver, store: memoryStore(), fallback: () => {} })
    expect(await receiver.receive(await delivery())).toMatchObject({ code: 'secret_unavailable' })
  })

  it('in warn() are a warning that is no text', async () => {
    process.on('unhandledRejection', unhandled)
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      fallback: (_, { warn }) => warn(reject() as never),
    })
    expect(await receiver.receive(await delivery())).toMatchObject({
      outcome: 'processed',
      warnings: ['[object Promise]'],
    })
  })

  it.each([
    ['the issues', () => ({ issues: reject() })],
    ['an issue', () => ({ issues: [reject()] })],
    ['the path of an issue', () => ({ issues: [{ message: 'bad', path: reject() }] })],
    ['a part of a path', () => ({ issues: [{ message: 'bad', path: [reject()] }] })],
  ])('in %s of a schema are a failure of that delivery alone', async (_, validate) => {
    process.on('unhandledRejection', unhandled)
    const schema = { '~standard': { version: 1, vendor: 'own', validate } } as never
    const receiver = createReceiver({
      ...base,
      store: memoryStore(),
      schemas: { 'transfer.settled': schema },
      fallback: () => {},
    })
    const { outcome } = await receiver.receive(await delivery())
    expect(['failed', 'rejected']).toContain(outcome)
  })
})

it('a schema that throws a revoked proxy is a failure of the handler, and not of the store', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const validate = () => {
    throw proxy
  }
  const receiver = createReceiver({
    ...base,
    store: memoryStore(),
    schemas: { 'transfer.settled': { '~standard': { version: 1, vendor: 'own', validate } } } as never,
    fallback: () => {},
  })
  expect(await receiver.receive(await delivery())).toMatchObject({ code: 'handler_failed' })
})

describe('warn()', () => {
  const proxy = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
    },
  )

  it.each([
    ['an error', new Error('soft'), 'Error: soft'],
    ['a symbol', Symbol('x'), 'Symbol(x)'],
    ['undefined', undefined, 'undefined'],
    ['a proxy that throws', proxy, 'a warning that cannot be printed'],
  ])('takes %s', async (_, value, text) => {
    const logger = lines()
    const receiver = createReceiver({
      ...base,
      logger,
      store: memoryStore(),
      fallback: (_event, { warn }) => warn(value as never),
    })
    expect(await receiver.receive(await delivery())).toMatchObject({ outcome: 'processed', warnings: [text] })
    expect(logger.written).toEqual([expect.stringContaining(text)])
  })
})

it('warnings of an event are logged for its first delivery, and not for each that repeats it', async () => {
  const logger = lines()
  const receiver = createReceiver({ ...base, logger, store: memoryStore(), fallback: () => {} })
  const body = JSON.stringify(settled).replace('"rail":', '"rail":"x","rail":')
  const request = await delivery(body)
  for (let i = 0; i < 5; i++) {
    await receiver.receive(request)
  }
  expect(logger.written).toHaveLength(1)
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
