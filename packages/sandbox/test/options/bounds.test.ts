import { describe, expect, test } from 'vitest'
import { resolveOptions } from '../../src/options/resolve.js'
import { optionNames } from '../../src/options/table.js'

const day = 86_400
const types = 'transfer.settled, transfer.failed, approval.updated, ledger.matched'

interface Bounds {
  /** Values at the ends of what the option takes. */
  readonly takes: readonly unknown[]
  readonly rejects: readonly unknown[]
  /** What a value must be. */
  readonly wanted: string
}

const flag = (): Bounds => ({
  takes: [true, false],
  rejects: ['yes', 1, null],
  wanted: 'must be true or false',
})

const oneOf = (...values: readonly unknown[]): Bounds => ({
  takes: values,
  rejects: ['other', '', null, [values[0]]],
  wanted: `must be one of ${values.join(', ')}`,
})

const bounds: Readonly<Record<string, Bounds>> = {
  port: { takes: [0, 65_535], rejects: [-1, 65_536, 1.5, '80', null], wanted: 'must be 0 to 65535' },
  host: { takes: ['::'], rejects: ['', 1, null], wanted: 'must be an address to listen on' },
  forwardTo: {
    takes: [[], ['http://127.0.0.1/', 'http://localhost/']],
    rejects: ['http://127.0.0.1/', [''], ['http://127.0.0.1/', 'hooks'], [1], null],
    wanted: 'must be URLs',
  },
  state: { takes: ['state.db'], rejects: ['', 1, null], wanted: 'must be the path of a file' },
  seed: {
    takes: [-1, 0, Number.MAX_SAFE_INTEGER],
    rejects: [0.5, Number.MAX_SAFE_INTEGER + 1, '1', null],
    wanted: 'must be a whole number',
  },
  clock: oneOf('real', 'virtual'),
  apiKey: {
    takes: ['!', '~', 'sk_sandbox_readonly_2'],
    rejects: ['', 'a b', 'ä', 'a\n', '\na', 1, 'sk_sandbox_readonly', null],
    wanted: 'must be visible ASCII other than sk_sandbox_readonly',
  },
  shape: oneOf('both', 'a', 'b'),
  shapeBUnit: oneOf('major', 'minor'),
  responseCase: oneOf('camel', 'snake', 'follow-envelope'),
  prefix: oneOf('both', 'v1', 'none'),
  idempotencyConflict: oneOf(422, 409, 400),
  requestsPerSecond: {
    takes: [1, 1.5, day],
    rejects: [0, 0.99, day + 1, '10', null],
    wanted: 'must be 1 to 86400',
  },
  deprecation: {
    takes: ['2027-01-31', '2027-01-31T12:00:00Z'],
    rejects: [
      '2027-01',
      '2027-01-31 ',
      '2027-02-31x',
      '12027-01-31',
      '2027-13-01',
      'x2027-01-31',
      '20a7-01-31',
      null,
    ],
    wanted: 'must be a date such as 2027-01-31',
  },
  product: oneOf('mobile_money', 'digital_banking', 'stablecoins'),
  settleAfterSeconds: {
    takes: [0, 0.5, day],
    rejects: [-0.1, day + 0.1, '1', Number.NaN, null],
    wanted: 'must be 0 to 86400 seconds',
  },
  transitions: {
    takes: [
      {},
      { pending: [] },
      { pending: undefined },
      { processing: ['rejected'], pending: ['settled', 'failed'] },
    ],
    rejects: [
      null,
      'pending',
      { settled: [] },
      { pending: 'failed' },
      { pending: ['failed', 'pending'] },
      { toString: [] },
    ],
    wanted: 'must name states that follow pending, pending_approval or processing',
  },
  emissions: {
    takes: [[], ['ledger.matched']],
    rejects: ['ledger.matched', ['ledger.matched', 'ledger'], null],
    wanted: `must be some of ${types}`,
  },
  envelope: oneOf('camelCase', 'snake_case'),
  secret: {
    takes: ['!', 'x'.repeat(255)],
    rejects: ['', 'a b', 'a\n', ' a', 1, null],
    wanted: 'must be visible ASCII without white space',
  },
  scheme: { takes: [{}, { key: 'hex' }], rejects: ['hex', 1, null], wanted: 'must be a signature scheme' },
  retry: {
    takes: ['fast', 'standard', 'none', [], [0], Array(100).fill(30 * day)],
    rejects: [
      ...['slow', 'constructor', 5, null],
      ...[Array(101).fill(1), [-1], [1, 30 * day + 1], [Number.NaN], ['5'], [null], [true], Array(1)],
    ],
    wanted: "must be 'fast', 'standard', 'none' or up to 100 pauses in seconds",
  },
  jitter: flag(),
  timeoutSeconds: {
    takes: [0.001, day],
    rejects: [0, 0.0009, day + 1, '1', null],
    wanted: 'must be 0.001 to 86400 seconds',
  },
  disableAfter: {
    takes: [1, 1000],
    rejects: [0, 1001, 1.5, '1', null],
    wanted: 'must be 1 to 1000 deliveries',
  },
  strictHttps: flag(),
  allowRemote: flag(),
}

describe('each option', () => {
  test('has its bounds in this test', () => {
    expect(Object.keys(bounds).sort()).toEqual([...optionNames].sort())
  })

  test.each(Object.entries(bounds))(
    '%s takes the ends of its range, and says what it takes',
    (name, about) => {
      for (const value of about.takes) {
        expect(() => resolveOptions({ [name]: value }), JSON.stringify(value)).not.toThrow()
      }
      for (const value of about.rejects) {
        const reject = () => resolveOptions({ [name]: value })
        expect(reject, JSON.stringify(value)).toThrow(
          expect.objectContaining({
            name: 'OptionError',
            code: 'invalid_option',
            option: name,
            message: `${name} ${about.wanted}`,
          }),
        )
      }
    },
  )
})

test('without options, a sandbox has exactly these', () => {
  expect(resolveOptions()).toEqual({
    port: 4010,
    host: '127.0.0.1',
    forwardTo: [],
    state: ':memory:',
    seed: 1,
    clock: 'real',
    apiKey: 'sk_sandbox_local',
    shape: 'both',
    shapeBUnit: 'major',
    responseCase: 'camel',
    prefix: 'both',
    idempotencyConflict: 422,
    product: 'mobile_money',
    settleAfterSeconds: 0.1,
    transitions: {
      pending: ['pending_approval', 'processing'],
      pending_approval: ['processing', 'rejected'],
      processing: ['settled', 'failed'],
    },
    emissions: types.split(', '),
    envelope: 'camelCase',
    retrySeconds: [1, 2, 5, 10, 30],
    jitter: false,
    timeoutSeconds: 15,
    strictHttps: false,
    allowRemote: false,
  })
})

test.each([[null], ['port'], [1], [[]], [[1]]])('options that are %j are rejected', (given) => {
  expect(() => resolveOptions(given as object)).toThrow(
    expect.objectContaining({ name: 'OptionError', option: 'options', message: 'options must be an object' }),
  )
})

test('an unknown option is named, with those that exist', () => {
  expect(() => resolveOptions({ toString: 1 } as object)).toThrow(
    expect.objectContaining({
      option: 'toString',
      message: `toString is no option; the options are ${optionNames.join(', ')}`,
    }),
  )
})
