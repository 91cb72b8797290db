import { describe, it } from 'vitest'
import * as z from 'zod'
import { day, expectRejected, good } from './rejected-options.js'

const schemaOf = (value: unknown) => ({ schemas: { x: value } })

class Handlers {
  'transfer.settled'() {}
}

describe('values of options that are rejected at construction', () => {
  it.each<[string, unknown, code: string, text: string]>([
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
      'endpoint must be 1 to 255 printable characters, in at most 512 bytes',
    ],
    ['an endpoint with a zero byte', { ...good, endpoint: 'a\0b' }, 'invalid_option', 'endpoint must be'],
    [
      'an endpoint that no index of Postgres can hold',
      { ...good, endpoint: '😀'.repeat(129) },
      'invalid_option',
      'at most 512 bytes',
    ],
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
    ...(['handlerTimeoutSeconds', 'leaseSeconds', 'retentionSeconds'] as const).flatMap((name) =>
      [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '60', null].map(
        (value): [string, unknown, string, string] => [
          `${name} of ${value === '60' ? 'a string' : value}`,
          { ...good, [name]: value },
          'invalid_option',
          `${name} must be ${name === 'retentionSeconds' ? '30 days' : 'a positive number'}`,
        ],
      ),
    ),
    ...[0, -1, 0.5, 104_857.6, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 30 + 1, '60', null].map(
      (value): [string, unknown, string, string] => [
        `maxBodyBytes of ${typeof value} ${value}`,
        { ...good, maxBodyBytes: value },
        'invalid_option',
        'maxBodyBytes must be a whole number, at least 1 and at most 1 GiB',
      ],
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
  ])('%s', (...rejected) => expectRejected(rejected))
})
