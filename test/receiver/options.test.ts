import { describe, expect, it } from 'vitest'
import type { ConfigurationError } from '../../src/errors.js'
import { createGate, createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { day, expectRejected, good } from './rejected-options.js'

const without = (...methods: string[]) => ({
  ...memoryStore(),
  ...Object.fromEntries(methods.map((name) => [name, undefined])),
})

const must = {
  resource: 'be a function',
  queue: 'have consume()',
  telemetry: 'be a telemetry, such as openTelemetry()',
  bodyTimeoutSeconds: 'be a positive number, at most a day',
  undoSeconds: 'be zero or more, at most a day',
  pruneEverySeconds: 'be a positive number, at most a day, or false',
  breaker: 'have failures, a positive whole number, and retryAfterSeconds, at most a day',
  limits: 'have byType or perResource, each with concurrency, a positive whole number, or perSecond',
  priorities: 'hold a whole number from -100 to 100 for each type',
  version: 'be 1 to 100 printable characters',
  quarantineRetentionSeconds: 'be a positive number, at most a century',
} as const

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
        ['resource', 'transferId'],
        ['queue', {}],
        ['telemetry', null],
        ['telemetry', () => {}],
        ['bodyTimeoutSeconds', day + 1],
        ['undoSeconds', -1],
        ['undoSeconds', day + 1],
        ['pruneEverySeconds', 0],
        ['pruneEverySeconds', true],
        ['pruneEverySeconds', day + 1],
        ['breaker', 5],
        ['breaker', { failures: 2 ** 31, retryAfterSeconds: 1 }],
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
        ['priorities', { a: 100, b: 101 }],
        ['priorities', { a: -101 }],
        ['priorities', { a: 0.5 }],
        ['priorities', { a: '1' }],
        ['quarantineRetentionSeconds', 0],
        ['version', 7],
        ['version', ''],
        ['version', 'v1\n'],
        ['version', 'v'.repeat(101)],
        ['quarantineRetentionSeconds', '60'],
        ['quarantineRetentionSeconds', 36_500 * day + 1],
      ] as const
    ).map(([name, value]): [string, unknown, string, string] => [
      `${name}: ${JSON.stringify(value)}`,
      { ...good, [name]: value },
      'invalid_option',
      `${name} must ${must[name]}`,
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
      'a clock in milliseconds',
      { ...good, now: () => Date.now() },
      'invalid_option',
      'now must be a function that returns unix seconds, not milliseconds',
    ],
    [
      'a receiver as options',
      createReceiver(good as never),
      'unknown_option',
      'createReceiver takes an object of options, such as { secret }, and not a receiver',
    ],
    [
      'a client as options',
      new (class Pool {
        readonly _clients = []
      })(),
      'unknown_option',
      'createReceiver takes an object of options, such as { secret }, and not an instance of Pool',
    ],
    ...['receive', 'start'].map((method): [string, unknown, string, string] => [
      `a function named ${method}`,
      { ...good, [method]: () => {} },
      'unknown_option',
      `${method} is not an option of createReceiver`,
    ]),
    [
      'an object without a constructor',
      Object.create(Object.create({}, { constructor: {} }), { foo: { value: 1, enumerable: true } }),
      'unknown_option',
      'createReceiver takes an object of options, such as { secret }, and not an instance of undefined',
    ],
    [
      'a promise of options',
      Promise.resolve(good),
      'invalid_option',
      'the options of createReceiver must be a plain object. Is an await missing?',
    ],
    [
      'options of a class',
      Object.assign(new (class Config {})(), { ...good, foo: 1 }),
      'unknown_option',
      'foo is not an option of createReceiver',
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
    ['several', { ...good, foo: 1, bar: 2 }, 'unknown_option', 'foo, bar are not options'],
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
      'a store is required, such as sqliteStore(path) or postgresStore({ pool }): it has once(), check(), prune() and close()',
    ],
    ['a null store', { ...good, store: null }, 'invalid_store', 'a store is required'],
    ['a store without check', { ...good, store: without('check') }, 'invalid_store', 'check()'],
    ['a store without prune', { ...good, store: without('prune') }, 'invalid_store', 'prune()'],
    ['a store without close', { ...good, store: without('close') }, 'invalid_store', 'close()'],
  ])('%s', (...rejected) => expectRejected(rejected))

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
