import { describe, expect, test } from 'vitest'
import { asEnvelope, asJson, asList, asNumber, asRate, asRetry } from '../../src/options/read-text.js'
import { flagName, optionsOf, sandboxFlags } from '../../src/options/sandbox-flags.js'
import { schemeOf } from '../../src/options/scheme.js'
import { secondsOf } from '../../src/options/seconds.js'
import { readFlags } from '../../src/program/program-flags.js'

const none = () => {
  throw new Error('no such file')
}

describe('the text of a flag', () => {
  test.each<[text: string, seconds: number]>([
    ['5', 5],
    ['0', 0],
    ['12.25s', 12.25],
    ['12ms', 0.012],
    ['10m', 600],
    ['10h', 36_000],
    ['', Number.NaN],
    ['s', Number.NaN],
    ['5d', Number.NaN],
    ['x5s', Number.NaN],
    ['5sx', Number.NaN],
    ['5.s', Number.NaN],
    ['.5s', Number.NaN],
    ['-5s', Number.NaN],
    ['5 s', Number.NaN],
  ])('%j as a duration is %d s', (text, seconds) => {
    expect(secondsOf(text)).toBe(seconds)
  })

  test.each<[text: string, number: number]>([
    ['7', 7],
    ['-7', -7],
    ['12.25', 12.25],
    ['', Number.NaN],
    ['7x', Number.NaN],
    ['x7', Number.NaN],
    ['1e3', Number.NaN],
    ['0x10', Number.NaN],
    ['7.', Number.NaN],
    ['.7', Number.NaN],
    ['--7', Number.NaN],
    [' 7', Number.NaN],
  ])('%j as a number is %d', (text, number) => {
    expect(asNumber(text)).toBe(number)
  })

  test.each<[text: string, rate: number]>([
    ['10/s', 10],
    ['10', 10],
    ['10/m', Number.NaN],
    ['10/s/s', Number.NaN],
    ['/s10', Number.NaN],
  ])('%j as a rate is %d', (text, rate) => {
    expect(asRate(text)).toBe(rate)
  })

  test.each<[text: string, retry: string | number[]]>([
    ['fast', 'fast'],
    ['none', 'none'],
    ['1s,5m', [1, 300]],
    ['2', [2]],
    [' 1s , 2s ', [1, 2]],
    ['Fast', [Number.NaN]],
    ['fast1', [Number.NaN]],
    ['1fast', [Number.NaN]],
  ])('%j as a schedule is %j', (text, retry) => {
    expect(asRetry(text)).toEqual(retry)
  })

  test('as a list is cut at its commas', () => {
    expect(asList('a, b ,c')).toEqual(['a', 'b', 'c'])
    expect(asList('a')).toEqual(['a'])
  })

  test('as an envelope has a short form', () => {
    expect(['camel', 'snake', 'camelCase', 'xml'].map(asEnvelope)).toEqual([
      'camelCase',
      'snake_case',
      'camelCase',
      'xml',
    ])
  })

  test('as a file is its JSON, or null', () => {
    const read: string[] = []
    const file = (path: string) => {
      read.push(path)
      return '{"a":1}'
    }
    expect(asJson('states.json', file)).toEqual({ a: 1 })
    expect(read).toEqual(['states.json'])
    expect(asJson('states.json', none)).toBeNull()
    expect(asJson('states.json', () => '{')).toBeNull()
  })

  test('as a scheme is a name, pairs, or the JSON of a file', () => {
    expect(schemeOf('id-t-body-base64', none)).toEqual({ content: 'id.timestamp.body', encoding: 'base64' })
    expect(schemeOf('content=body,key=base64', none)).toEqual({ content: 'body', key: 'base64' })
    expect(schemeOf('scheme.json', () => '{"key":"hex"}')).toEqual({ key: 'hex' })
    for (const file of [none, () => '{']) {
      expect(() => schemeOf('scheme.json', file)).toThrow(
        expect.objectContaining({
          name: 'OptionError',
          option: 'scheme',
          message:
            'scheme must be a name such as t-body-hex or id-t-body-base64, pairs such as content=body,key=base64, or a JSON file',
        }),
      )
    }
  })
})

describe('a flag', () => {
  test.each([
    ['port', 'port'],
    ['forwardTo', 'forward-to'],
    ['shapeBUnit', 'shape-b-unit'],
    ['settleAfterSeconds', 'settle-after'],
    ['requestsPerSecond', 'rate'],
    ['timeoutSeconds', 'timeout'],
    ['idempotencyConflict', 'idempotency-conflict'],
    ['noSuchOption', 'no-such-option'],
    ['toString', 'to-string'],
  ])('of %s is --%s', (option, flag) => {
    expect(flagName(option)).toBe(flag)
  })

  test('describes its value, its default and its choices', () => {
    expect(sandboxFlags.jitter).toEqual({
      type: 'boolean',
      help: 'Move each pause of the schedule by up to 10 % either way',
    })
    expect(sandboxFlags.state).toEqual({
      type: 'string',
      value: 'FILE',
      help: 'Keep everything in this SQLite file. Default: in memory',
    })
    expect(sandboxFlags.envelope).toEqual({
      type: 'string',
      value: 'FORM',
      help: 'The envelope of subscriptions that name none. Default: camel',
      choices: ['camel', 'snake'],
    })
    expect(sandboxFlags['forward-to']).toEqual({
      type: 'string',
      value: 'URL',
      help: 'Deliver every event to this receiver',
      multiple: true,
    })
    expect(sandboxFlags.deprecation).toEqual({
      type: 'string',
      value: 'DATE',
      help: 'Send the header Deprecation with this date',
    })
  })

  test('that is absent gives no option, and one without a value gives true', () => {
    expect(optionsOf({}, none)).toEqual({})
    expect(optionsOf({ jitter: true, seed: '3', host: '::1', 'forward-to': ['a', 'b'] }, none)).toEqual({
      jitter: true,
      seed: 3,
      host: '::1',
      forwardTo: ['a', 'b'],
    })
  })

  test('of the program alone is no option of the sandbox', () => {
    expect(readFlags([])).toMatchObject({ isJson: false, isOpen: false, isHelp: false })
    expect(readFlags(['--json'])).toMatchObject({ isJson: true, isOpen: false, isHelp: false })
    expect(readFlags(['--open'])).toMatchObject({ isJson: false, isOpen: true, isHelp: false })
    expect(readFlags(['-h'])).toMatchObject({ isJson: false, isOpen: false, isHelp: true })
  })

  test.each([
    ['--envelope=xml', '--envelope must be one of camel, snake'],
    ['--idempotency-conflict=418', '--idempotency-conflict must be one of 422, 409, 400'],
    ['--shape=c', '--shape must be one of both, a, b'],
    ['--json=1', "Option '--json' does not take an argument. Run with --help for the list of flags."],
  ])('that does not fit is rejected in one line: %s', (arg, message) => {
    expect(() => readFlags([arg])).toThrow(expect.objectContaining({ message }))
  })

  test.each(['422', '409', '400'])('gives the status %s', (status) => {
    expect(readFlags([`--idempotency-conflict=${status}`]).options.idempotencyConflict).toBe(Number(status))
  })
})
