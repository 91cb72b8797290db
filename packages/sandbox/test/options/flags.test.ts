import { describe, expect, test } from 'vitest'
import { OptionError } from '../../src/options/option-error.js'
import { resolveOptions } from '../../src/options/resolve.js'
import { flagName, optionsOf, sandboxFlags } from '../../src/options/sandbox-flags.js'
import { optionNames, optionTable } from '../../src/options/table.js'
import { readFlags } from '../../src/program/program-flags.js'

const noFile = () => {
  throw new Error('no such file')
}

describe('the table of options', () => {
  test('gives each option a flag of its own, with a help text', () => {
    const names = optionNames.map(flagName)
    expect(new Set(names).size).toBe(optionNames.length)
    expect(Object.keys(sandboxFlags).sort()).toEqual([...names].sort())
    for (const { help } of Object.values(sandboxFlags)) {
      expect(help).toMatch(/^\S.{5,}/)
    }
  })

  test('accepts each of its own defaults', () => {
    for (const name of optionNames) {
      const row: { default?: unknown; accepts: (value: unknown) => boolean } = optionTable[name]
      if ('default' in row) {
        expect([name, row.accepts(row.default)]).toEqual([name, true])
      }
    }
  })

  test('has the defaults that the documents name', () => {
    expect(resolveOptions()).toMatchObject({
      host: '127.0.0.1',
      port: 4010,
      timeoutSeconds: 15,
      retrySeconds: [1, 2, 5, 10, 30],
      shape: 'both',
      shapeBUnit: 'major',
      responseCase: 'camel',
      prefix: 'both',
      idempotencyConflict: 422,
      jitter: false,
      product: 'mobile_money',
      emissions: ['transfer.settled', 'transfer.failed', 'approval.updated', 'ledger.matched'],
    })
    expect(resolveOptions()).not.toHaveProperty('requestsPerSecond')
    expect(resolveOptions()).not.toHaveProperty('disableAfter')
  })

  test('rejects a name that it does not have', () => {
    expect(() => resolveOptions({ prot: 1 } as object)).toThrow(new OptionError('prot', '').constructor)
    expect(() => resolveOptions({ prot: 1 } as object)).toThrow(/^prot is no option; the options are port, /)
    expect(() => resolveOptions({ ['x'.repeat(1e6)]: 1 })).toThrow(/^x{100} is no option/)
  })

  test.each([
    ['shape', 'c'],
    ['shapeBUnit', 'cents'],
    ['responseCase', 'kebab'],
    ['prefix', 'v2'],
    ['idempotencyConflict', 418],
    ['emissions', ['transfer.unknown']],
    ['emissions', 'transfer.settled'],
    ['transitions', { settled: ['failed'] }],
    ['transitions', { pending: ['pending'] }],
    ['transitions', { processing: ['pending_approval'] }],
    ['transitions', { constructor: [] }],
    ['transitions', null],
    ['jitter', 'yes'],
    ['disableAfter', 0],
    ['disableAfter', 1.5],
    ['deprecation', 'soon'],
    ['deprecation', '2027-13-45'],
    ['requestsPerSecond', 0],
    ['timeoutSeconds', Number.POSITIVE_INFINITY],
    ['seed', 1.5],
  ])('rejects %s: %j', (name, value) => {
    expect(() => resolveOptions({ [name]: value })).toThrow(
      expect.objectContaining({ name: 'OptionError', option: name }),
    )
  })
})

describe('a command line', () => {
  test('gives every option', () => {
    const args = [
      '--port=0',
      '--host=::1',
      '--forward-to=http://127.0.0.1:1/a',
      '--forward-to=http://127.0.0.1:2/b',
      '--state=file.sqlite',
      '--seed=-3',
      '--clock=virtual',
      '--api-key=key',
      '--shape=a',
      '--shape-b-unit=minor',
      '--response-case=snake',
      '--prefix=none',
      '--idempotency-conflict=409',
      '--rate=10/s',
      '--deprecation=2027-01-31',
      '--product=stablecoins',
      '--settle-after=250ms',
      '--emissions=transfer.settled,transfer.failed',
      '--envelope=snake',
      '--secret=whsec_1',
      '--scheme=id-t-body-base64',
      '--retry=1s,5m',
      '--jitter',
      '--timeout=2s',
      '--disable-after=5',
      '--strict-https',
      '--allow-remote',
    ]
    const { options } = readFlags(args)
    expect(options).toEqual({
      port: 0,
      host: '::1',
      forwardTo: ['http://127.0.0.1:1/a', 'http://127.0.0.1:2/b'],
      state: 'file.sqlite',
      seed: -3,
      clock: 'virtual',
      apiKey: 'key',
      shape: 'a',
      shapeBUnit: 'minor',
      responseCase: 'snake',
      prefix: 'none',
      idempotencyConflict: 409,
      requestsPerSecond: 10,
      deprecation: '2027-01-31',
      product: 'stablecoins',
      settleAfterSeconds: 0.25,
      transitions: resolveOptions().transitions,
      emissions: ['transfer.settled', 'transfer.failed'],
      envelope: 'snake_case',
      secret: 'whsec_1',
      scheme: { content: 'id.timestamp.body', encoding: 'base64' },
      retrySeconds: [1, 300],
      jitter: true,
      timeoutSeconds: 2,
      disableAfter: 5,
      strictHttps: true,
      allowRemote: true,
    })
    const given = new Set(args.map((arg) => arg.slice(2).split('=')[0]))
    expect(Object.keys(sandboxFlags).filter((name) => !given.has(name))).toEqual(['transitions'])
  })

  test.each([
    ['5', 5],
    ['1.5s', 1.5],
    ['250ms', 0.25],
    ['2m', 120],
    ['1h', 3600],
  ])('reads the duration %s', (text, seconds) => {
    expect(readFlags([`--settle-after=${text}`]).options.settleAfterSeconds).toBe(seconds)
  })

  test('gives the transitions in a JSON file', () => {
    const file = JSON.stringify({ processing: ['settled'] })
    const given = optionsOf({ transitions: 'states.json' }, () => file)
    expect(resolveOptions(given).transitions).toEqual({
      pending: ['pending_approval', 'processing'],
      pending_approval: ['processing', 'rejected'],
      processing: ['settled'],
    })
    const unset = { pending: undefined, processing: ['settled'] as const }
    expect(resolveOptions({ transitions: unset })).toEqual(
      resolveOptions({ transitions: { processing: ['settled'] } }),
    )
    expect(() => resolveOptions(optionsOf({ transitions: 'none.json' }, noFile))).toThrow(OptionError)
  })
})
