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

  it.each(failing)('that fails with %s changes no answer and does not end the process', async (_, log) => {
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

describe('data that no retry can fix', () => {
  const bad = { ...settled, data: { status: 'settled' } }

  it('is quarantined immediately on a store that keeps bodies', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const fallback = vi.fn()
    const logger = lines()
    const receiver = createReceiver({ ...base, logger, store, fallback })
    for (let i = 0; i < 2; i++) {
      expect(await receiver.receive(await delivery(bad))).toMatchObject({
        status: 200,
        outcome: 'quarantined',
        code: 'invalid_data',
        eventId: 'evt_1',
        detail: 'data.transferId, data.rail, data.ledgerState',
      })
    }
    expect(fallback).not.toHaveBeenCalled()
    expect(await receiver.list({ state: 'dead' })).toMatchObject([
      { id: 'evt_1', lastError: 'invalid_data: data.transferId, data.rail, data.ledgerState' },
    ])
    expect(logger.written).toHaveLength(1)
    expect(logger.written[0]).toContain('event evt_1: quarantined: invalid_data')
    await store.close()
  })

  it('is 400 on any other store, and never runs', async () => {
    const fallback = vi.fn()
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback })
    expect(await receiver.receive(await delivery(bad))).toMatchObject({ status: 400, code: 'invalid_data' })
    expect(fallback).not.toHaveBeenCalled()
  })

  it('runs after the schema is corrected and the event is replayed', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const strict = createReceiver({ ...base, store, fallback: () => {} })
    await strict.receive(await delivery(bad))
    const ran = vi.fn()
    const queue = { guarantee: 'none', consume: async () => async () => {} }
    const lenient = createReceiver({
      ...base,
      store,
      queue: queue as never,
      fallback: ran,
      schemas: {
        'transfer.settled': { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
      },
    })
    expect(await lenient.replay('evt_1', { reason: 'schema corrected', actor: 'test' })).toBe(1)
    expect(await lenient.list({ state: 'accepted' })).toMatchObject([{ id: 'evt_1', generation: 1 }])
    await store.close()
  })

  it('is kept before the answer if it does not parse', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const receiver = createReceiver({ ...base, store, fallback: () => {} })
    expect(await receiver.receive(await delivery('{'))).toMatchObject({ outcome: 'quarantined' })
    expect(await receiver.quarantined()).toMatchObject([{ code: 'invalid_json', deliveries: 1 }])
    await store.close()
  })

  it('is not acknowledged if it cannot be kept', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const inbox = store.inbox as NonNullable<Store<unknown>['inbox']>
    const down = () => Promise.reject(new Error('disk full'))
    const failing = { ...store, inbox: { ...inbox, quarantine: down, acceptDead: down } }
    const receiver = createReceiver({ ...base, store: failing, fallback: () => {} })
    expect(await receiver.receive(await delivery('{'))).toMatchObject({
      status: 503,
      code: 'store_unavailable',
    })
    expect(await receiver.receive(await delivery(bad))).toMatchObject({
      status: 503,
      code: 'store_unavailable',
    })
    await store.close()
  })

  it('is neither acknowledged nor kept while the check of the store fails', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const check = () => Promise.reject(new Error('not migrated'))
    const receiver = createReceiver({ ...base, store: { ...store, check }, fallback: () => {} })
    for (const body of ['{', bad]) {
      expect(await receiver.receive(await delivery(body))).toMatchObject({
        status: 503,
        code: 'store_unavailable',
      })
    }
    expect(await receiver.quarantined()).toEqual([])
    expect(await receiver.list()).toEqual([])
    await store.close()
  })

  it('is refused when the quarantine is full', async () => {
    const store = sqliteStore(newFile()) as Store<unknown>
    const inbox = store.inbox as NonNullable<Store<unknown>['inbox']>
    const full = { ...store, inbox: { ...inbox, quarantine: async () => ({ state: 'full' }) as const } }
    const receiver = createReceiver({ ...base, store: full, fallback: () => {} })
    expect(await receiver.receive(await delivery('{'))).toMatchObject({
      status: 400,
      code: 'invalid_json',
      detail: 'the quarantine is full',
    })
    await store.close()
  })
})

describe('before the body is read or a secret is loaded', () => {
  it.each([
    ['no signature', { 'service-signature': undefined }, 'missing_signature'],
    ['an empty signature', { 'service-signature': '' }, 'missing_signature'],
    ['a malformed signature', { 'service-signature': 'v1=a' }, 'malformed_signature'],
    [
      'a t and a v1 that were sent apart',
      { 'service-signature': 't=1700000000, v1=a' },
      'malformed_signature',
    ],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, 'unsupported_media_type'],
    [
      'another quoted charset',
      { 'content-type': 'application/json;charset="utf-16"' },
      'unsupported_media_type',
    ],
  ])('%s is refused', async (_, headers, code) => {
    const resolver = vi.fn(async () => secret)
    const read = vi.fn(async () => new Uint8Array())
    const receiver = createReceiver({ ...base, secret: resolver, store: memoryStore(), fallback: () => {} })
    const request = await delivery(settled, { headers })
    expect(await receiver.receive({ ...request, body: read })).toMatchObject({ code })
    expect(read).not.toHaveBeenCalled()
    expect(resolver).not.toHaveBeenCalled()
  })

  it.each(['utf-8', 'UTF-8', 'utf8', '"utf-8"'])('charset=%s is UTF-8', async (charset) => {
    const receiver = createReceiver({ ...base, store: memoryStore(), fallback: () => {} })
    const headers = { 'content-type': `application/json; profile=x; charset=${charset}` }
    expect(await receiver.receive(await delivery(settled, { headers }))).toMatchObject({
      outcome: 'processed',
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
