import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ConfigurationError } from '../../src/errors.js'
import { createGate, createReceiver } from '../../src/receiver.js'
import type { Store } from '../../src/store/store.js'
import { memoryStore } from '../../src/stores/memory.js'
import { testSender } from '../../src/testing/sender.js'

const good = {
  secret: 'whsec_test_secret',
  store: memoryStore(),
  handlers: { 'transfer.settled': () => {} },
  logger: false as const,
}
const day = 86_400
const without = (...methods: string[]) => ({
  ...memoryStore(),
  ...Object.fromEntries(methods.map((name) => [name, undefined])),
})
const schemaOf = (value: unknown) => ({ schemas: { x: value } })

class Handlers {
  'transfer.settled'() {}
}

describe('options that are rejected at construction', () => {
  it.each<[string, unknown, code: string, text: string]>([
    ['no options', undefined, 'invalid_option', 'the options of createReceiver must be an object'],
    ['null', null, 'invalid_option', 'the options of createReceiver must be an object'],
    ['a word', 'secret', 'invalid_option', 'the options of createReceiver must be an object'],
    [
      'an unknown option',
      { ...good, foo: 300 },
      'unknown_option',
      'foo is not an option of createReceiver; there are secret, store',
    ],
    ...(
      [
        ['breaker', 5],
        ['breaker', { failures: 5 }],
        ['breaker', { failures: 0, retryAfterSeconds: 1 }],
        ['breaker', { failures: 1.5, retryAfterSeconds: 1 }],
        ['breaker', { failures: 5, retryAfterSeconds: 0 }],
        ['breaker', { failures: 5, retryAfterSeconds: day + 1 }],
        ['breaker', { failures: 5, retryAfterSeconds: 1, after: 1 }],
        ['limits', 5],
        ['limits', { 'transfer.settled': { concurrency: 1 } }],
        ['limits', { byType: [] }],
        ['limits', { byType: { a: 1 } }],
        ['limits', { byType: { a: { concurrency: 0 } } }],
        ['limits', { byType: { a: { concurrency: 1.5 } } }],
        ['limits', { byType: { a: { perSecond: 0 } } }],
        ['limits', { byType: { a: { perSecond: 1e10 } } }],
        ['limits', { byType: { a: { perMinute: 1 } } }],
        ['limits', { perResource: { concurrency: '1' } }],
        ['limits', { perResource: null }],
        ['priorities', 1],
        ['priorities', { a: 101 }],
        ['priorities', { a: -101 }],
        ['priorities', { a: 0.5 }],
        ['priorities', { a: '1' }],
        ['quarantineRetentionSeconds', 0],
        ['quarantineRetentionSeconds', '60'],
        ['quarantineRetentionSeconds', 36_500 * day + 1],
      ] as const
    ).map(([name, value]): [string, unknown, string, string] => [
      `${name}: ${JSON.stringify(value)}`,
      { ...good, [name]: value },
      'invalid_option',
      `${name} must `,
    ]),
    ...(
      [
        ['tole', 'toleranceSeconds'],
        ['tolerance', 'toleranceSeconds'],
        ['toleranceSecond', 'toleranceSeconds'],
        ['tolerancesecs', 'toleranceSeconds'],
        ['secrets', 'secret'],
        ['handler', 'handlers'],
        ['max_body_bytes', 'maxBodyBytes'],
        ['retension', 'retentionSeconds'],
      ] as const
    ).map(([given, meant]): [string, unknown, string, string] => [
      `${given} for ${meant}`,
      { ...good, [given]: 1 },
      'unknown_option',
      `${given} is not an option of createReceiver; did you mean ${meant}?`,
    ]),
    [
      'a name that is too short to guess from',
      { ...good, tol: 300 },
      'unknown_option',
      'tol is not an option of createReceiver; there are secret, store',
    ],
    ['a short secret', { ...good, secret: 'whsec_short' }, 'invalid_secret', 'it has fewer than 16 bytes'],
    [
      'an unset variable as text',
      { ...good, secret: 'undefined' },
      'invalid_secret',
      "it is the text 'undefined'",
    ],
    [
      'a tolerance in milliseconds',
      { ...good, toleranceSeconds: 300_000 },
      'invalid_option',
      'it is in seconds, not milliseconds; if you mean it, set allowLongTolerance: true',
    ],
    [
      'a tolerance longer than the retention',
      { ...good, toleranceSeconds: 31 * day, allowLongTolerance: true, retentionSeconds: 30 * day },
      'invalid_option',
      'toleranceSeconds is longer than retentionSeconds',
    ],
    [
      'allowLongTolerance of a word',
      { ...good, allowLongTolerance: 'yes' },
      'invalid_option',
      'be a boolean',
    ],
    ['several', { ...good, foo: 1, bar: 2 }, 'unknown_option', 'foo, bar is not an option'],
    ['an option of every object', { ...good, constructor: 1 }, 'unknown_option', 'constructor is not'],
    ['no secret', { ...good, secret: undefined }, 'invalid_secret', 'it is undefined, not a string'],
    ['an empty secret', { ...good, secret: '' }, 'invalid_secret', 'it is empty'],
    ['a padded secret', { ...good, secret: ' whsec' }, 'invalid_secret', 'white space'],
    ['no secrets', { ...good, secret: [] }, 'invalid_secret', 'the list is empty'],
    [
      'a list with an unset variable',
      { ...good, secret: ['whsec_test_secret', undefined] },
      'invalid_secret',
      'it is undefined',
    ],
    [
      'a secret that is not of its scheme',
      { ...good, scheme: { key: 'hex' } },
      'invalid_secret',
      'it is not hex',
    ],
    [
      'an unknown scheme',
      { ...good, scheme: { content: 'x' } },
      'invalid_option',
      'scheme.content must be one of',
    ],
    ['a null scheme', { ...good, scheme: null }, 'invalid_option', 'the options of scheme must be an object'],
    [
      'no store',
      { ...good, store: undefined },
      'invalid_store',
      'a store is required, with once(), check(), prune() and close()',
    ],
    ['a null store', { ...good, store: null }, 'invalid_store', 'a store is required'],
    ['a store without check', { ...good, store: without('check') }, 'invalid_store', 'check()'],
    ['a store without prune', { ...good, store: without('prune') }, 'invalid_store', 'prune()'],
    ['a store without close', { ...good, store: without('close') }, 'invalid_store', 'close()'],
    [
      'neither handlers nor fallback',
      { ...good, handlers: undefined },
      'invalid_option',
      'give handlers, a fallback, or both',
    ],
    [
      'a handler that is no function',
      { ...good, handlers: { a: 1 } },
      'invalid_option',
      'the handler of a is not a function',
    ],
    [
      'a null handler',
      { ...good, handlers: { a: null } },
      'invalid_option',
      'the handler of a is not a function',
    ],
    [
      'a fallback that is no function',
      { ...good, fallback: true },
      'invalid_option',
      'fallback must be a function',
    ],
    ['null handlers', { ...good, handlers: null }, 'invalid_option', 'handlers must be a plain object'],
    ['handlers in a word', { ...good, handlers: 'all' }, 'invalid_option', 'handlers must be a plain object'],
    ['one function', { ...good, handlers: () => {} }, 'invalid_option', 'handlers must be a plain object'],
    [
      'a number among environments',
      { ...good, environments: ['live', 7] },
      'invalid_option',
      'a list of names',
    ],
    ['environments in a word', { ...good, environments: 'live' }, 'invalid_option', 'be a list of names'],
    [
      'one schema that is none',
      { ...good, schemas: { a: z.object({}), b: {} } },
      'invalid_option',
      'schemas must hold a Standard Schema for each type',
    ],
    [
      'a queue over a store that keeps no bodies',
      { ...good, queue: { consume: () => {} } },
      'invalid_store',
      'a queue needs a store that keeps bodies, such as sqliteStore()',
    ],
    [
      'handlers on a prototype',
      { ...good, handlers: new Handlers() },
      'invalid_option',
      'handlers must be a plain object',
    ],
    [
      'a schema that is none',
      { ...good, ...schemaOf({}) },
      'invalid_option',
      'schemas must hold a Standard Schema for each type',
    ],
    [
      'schemas in a Map',
      { ...good, schemas: new Map([['x', z.object({})]]) },
      'invalid_option',
      'schemas must hold a Standard Schema for each type',
    ],
    [
      'a schema that is null',
      { ...good, ...schemaOf(null) },
      'invalid_option',
      'schemas must hold a Standard Schema for each type',
    ],
    [
      'a schema that is a function',
      { ...good, ...schemaOf(() => true) },
      'invalid_option',
      'schemas must hold a Standard Schema for each type',
    ],
    [
      'no environments',
      { ...good, environments: [] },
      'invalid_option',
      'environments must be a list of names',
    ],
    ['one environment', { ...good, environments: 'production' }, 'invalid_option', 'environments must be'],
    [
      'an unset environment',
      { ...good, environments: [undefined] },
      'invalid_option',
      'environments must be',
    ],
    ['an empty environment', { ...good, environments: ['a', ''] }, 'invalid_option', 'environments must be'],
    [
      'an empty endpoint',
      { ...good, endpoint: '' },
      'invalid_option',
      'endpoint must be 1 to 255 printable characters',
    ],
    ['an endpoint with a zero byte', { ...good, endpoint: 'a\0b' }, 'invalid_option', 'endpoint must be'],
    [
      'an endpoint that is too long',
      { ...good, endpoint: 'x'.repeat(256) },
      'invalid_option',
      'endpoint must be',
    ],
    ['an endpoint that is a number', { ...good, endpoint: 7 }, 'invalid_option', 'endpoint must be'],
    [
      'a tolerance of zero',
      { ...good, toleranceSeconds: 0 },
      'invalid_option',
      'toleranceSeconds must be a positive number',
    ],
    [
      'a tolerance without end',
      { ...good, toleranceSeconds: Number.POSITIVE_INFINITY },
      'invalid_option',
      'toleranceSeconds',
    ],
    [
      'a retention under 30 days',
      { ...good, retentionSeconds: 30 * day - 1 },
      'invalid_option',
      'retentionSeconds must be 30 days',
    ],
    [
      'a retention over a century',
      { ...good, retentionSeconds: 1e300 },
      'invalid_option',
      'retentionSeconds must be 30 days',
    ],
    [
      'a lease over a day',
      { ...good, leaseSeconds: day + 1 },
      'invalid_option',
      'leaseSeconds must be a positive number, at most a day',
    ],
    [
      'a budget over a day',
      { ...good, handlerTimeoutSeconds: day + 1 },
      'invalid_option',
      'handlerTimeoutSeconds must be a positive number, at most a day',
    ],
    ...(['maxBodyBytes', 'handlerTimeoutSeconds', 'leaseSeconds', 'retentionSeconds'] as const).flatMap(
      (name) =>
        [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '60', null].map(
          (value): [string, unknown, string, string] => [
            `${name} of ${value === '60' ? 'a string' : value}`,
            { ...good, [name]: value },
            'invalid_option',
            `${name} must be ${name === 'retentionSeconds' ? '30 days' : 'a positive number'}`,
          ],
        ),
    ),
    [
      'inexactNumbers of another word',
      { ...good, inexactNumbers: 'keep' },
      'invalid_option',
      "inexactNumbers must be 'refuse' or 'round'",
    ],
    [
      'requireEventIdHeader of a word',
      { ...good, requireEventIdHeader: 'false' },
      'invalid_option',
      'requireEventIdHeader must be a boolean',
    ],
    ['now of a number', { ...good, now: 1_700_000_000 }, 'invalid_option', 'now must be a function'],
    ['onResult of no function', { ...good, onResult: {} }, 'invalid_option', 'onResult must be a function'],
    [
      'a logger without error',
      { ...good, logger: { info() {}, warn() {} } },
      'invalid_option',
      'logger must have info(), warn() and error()',
    ],
    ['a logger that is true', { ...good, logger: true }, 'invalid_option', 'logger must have info()'],
  ])('%s', (_, options, code, text) => {
    const attempt = () => createReceiver(options as never)
    expect(attempt).toThrow(ConfigurationError)
    expect(attempt).toThrow(expect.objectContaining({ code }) as ConfigurationError)
    expect(attempt).toThrow(text)
  })

  it.each(['handlers', 'fallback', 'queue', 'resource'])('%s, at a gate', (name) => {
    const attempt = () => createGate({ secret: 'x', store: memoryStore(), [name]: () => {} } as never)
    expect(attempt).toThrow(expect.objectContaining({ code: 'unknown_option' }) as ConfigurationError)
  })

  it('never quote the secret', () => {
    for (const secret of ['hunter22 ', ['ok', 'hunter22\n']]) {
      try {
        createReceiver({ ...good, secret })
        expect.unreachable()
      } catch (error) {
        expect(`${error}${(error as Error).stack}`).not.toContain('hunter22')
      }
    }
  })
})

describe('two receivers on one store', () => {
  const options = { ...good, store: memoryStore() }
  const [one, two, three] = ['whsec_first_secret_1', 'whsec_second_secret', 'whsec_third_secret_'] as const

  it('are rejected on one endpoint with other secrets', () => {
    const store = memoryStore()
    createReceiver({ ...options, store, secret: one })
    expect(() => createReceiver({ ...options, store, secret: two })).toThrow(
      "another receiver uses this store and the endpoint 'default' with other secrets",
    )
    expect(() => createReceiver({ ...options, store, secret: two, endpoint: 'other' })).not.toThrow()
    expect(() => createReceiver({ ...options, store: memoryStore(), secret: two })).not.toThrow()
  })

  it('may each have a resolver, whose secrets are not known yet', () => {
    const store = memoryStore()
    createReceiver({ ...options, store, secret: () => one })
    expect(() => createReceiver({ ...options, store, secret: () => two })).not.toThrow()
  })

  it('may share a secret, as during a rotation', () => {
    const store = memoryStore()
    createReceiver({ ...options, store, secret: one })
    createReceiver({ ...options, store, secret: [two, one] })
    expect(() => createReceiver({ ...options, store, secret: [three, two] })).not.toThrow()
  })
})

it('a misspelled option of a gate names the middleware', () => {
  expect(() => createGate({ secret: good.secret, store: memoryStore(), foo: 1 } as never)).toThrow(
    'foo is not an option of the middleware',
  )
})

describe('options that are taken', () => {
  it.each<[string, object]>([
    ['only what is required', {}],
    [
      'undefined for any that may be left out',
      { fallback: undefined, endpoint: undefined, schemas: undefined, logger: undefined, scheme: undefined },
    ],
    ['a handler that is undefined', { handlers: { 'transfer.settled': undefined } }],
    [
      'handlers without a prototype',
      { handlers: Object.assign(Object.create(null), { 'transfer.settled': () => {} }) },
    ],
    ['no handlers and a fallback', { handlers: undefined, fallback: () => {} }],
    [
      'a tolerance as long as the retention',
      { toleranceSeconds: 30 * day, allowLongTolerance: true, retentionSeconds: 30 * day },
    ],
    ['retention of 30 days', { retentionSeconds: 30 * day }],
    ['a lease and a budget of a day', { leaseSeconds: day, handlerTimeoutSeconds: day }],
    ['an endpoint beyond ASCII', { endpoint: 'Zürich 1 \u{1f4b8}' }],
    ['schemas', { schemas: { x: z.object({}) } }],
    ['silence', { logger: false }],
    ['a store whose methods are inherited', { store: Object.create(memoryStore()) }],
    ['a fraction of a second', { handlerTimeoutSeconds: 0.5, leaseSeconds: 0.5, toleranceSeconds: 0.5 }],
  ])('%s', (_, options) => {
    expect(() => createReceiver({ ...good, ...options })).not.toThrow()
  })
})

describe('an option that is undefined', () => {
  it('was not given', async () => {
    const events: { durations: unknown }[] = []
    const store = memoryStore()
    const observed: Store = {
      ...store,
      once(event, work) {
        events.push(event)
        return store.once(event, work)
      },
    }
    const receiver = createReceiver({
      ...good,
      store: observed,
      leaseSeconds: undefined,
      handlerTimeoutSeconds: 3,
      endpoint: undefined,
      bogus: undefined,
    } as never)
    const sender = testSender({ receiver, secret: good.secret })
    await sender.send('transfer.settled')
    const durations = { leaseSeconds: 60, workSeconds: 3, waitSeconds: 1.5, retentionSeconds: 90 * day }
    expect(events).toMatchObject([{ durations, endpoint: 'default' }])
  })
})

it('a queue needs a store that keeps bodies', () => {
  const queue = { guarantee: '', consume: async () => async () => {} }
  expect(() => createReceiver({ ...good, queue } as never)).toThrow(
    expect.objectContaining({ code: 'invalid_store' }),
  )
})
