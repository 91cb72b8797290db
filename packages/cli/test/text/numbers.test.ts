import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/exit.js'
import { durationSeconds, timeoutSeconds, wholeNumber } from '../../src/numbers.js'

const refusal = (message: string) => expect.objectContaining({ name: 'UsageError', exitCode: 2, message })

/** What a reader of an option throws. */
function thrownBy(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return error
  }
}

describe('a whole number', () => {
  it.each<[string, number, Parameters<typeof wholeNumber>[2]]>([
    ['0', 0, undefined],
    ['9007199254740991', Number.MAX_SAFE_INTEGER, undefined],
    ['1', 1, { min: 1 }],
    ['1', 1, { min: 1, max: 1 }],
    ['007', 7, { min: 7, max: 9 }],
    ['9', 9, { min: 7, max: 9 }],
  ])('%s is %s', (text, number, limits) => {
    expect(wholeNumber('times', text, limits)).toBe(number)
  })

  it.each<[string, Parameters<typeof wholeNumber>[2], string]>([
    ['', undefined, 'of at least 0'],
    ['-1', undefined, 'of at least 0'],
    ['1.5', undefined, 'of at least 0'],
    ['1e3', undefined, 'of at least 0'],
    ['x1', undefined, 'of at least 0'],
    ['1x', undefined, 'of at least 0'],
    [' 1', undefined, 'of at least 0'],
    ['9007199254740993', undefined, 'of at least 0'],
    ['0', { min: 1 }, 'of at least 1'],
    ['0', { min: 1, max: 1000 }, 'from 1 to 1000'],
    ['1001', { min: 1, max: 1000 }, 'from 1 to 1000'],
    ['11', { max: 10 }, 'from 0 to 10'],
  ])('%j is none within %j', (text, limits, range) => {
    expect(thrownBy(() => wholeNumber('times', text, limits))).toEqual(
      refusal(`--times must be a whole number ${range}`),
    )
  })
})

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['90', 90],
    ['90s', 90],
    ['1.5', 1.5],
    ['0.25s', 0.25],
    ['15m', 900],
    ['2h', 7200],
    ['10.25h', 36_900],
    ['7d', 604_800],
    ['12d', 1_036_800],
  ])('%s has %s seconds', (text, seconds) => {
    expect(durationSeconds('since', text)).toBe(seconds)
  })

  it.each(['', 's', '-1', '1.', '.5', '1.5.5', '1w', '1ms', '1S', ' 1', '1 m', 'a1s', '1sa', '1,5'])(
    '%j is none',
    (text) => {
      expect(thrownBy(() => durationSeconds('since', text))).toEqual(
        refusal('--since must be a duration such as 90s, 15m, 2h or 7d'),
      )
    },
  )
})

describe('a time limit', () => {
  it.each([
    ['0.001', 0.001],
    ['15s', 15],
    ['1d', 86_400],
    ['86400', 86_400],
  ])('may be %s', (text, seconds) => {
    expect(timeoutSeconds(text)).toBe(seconds)
  })

  it.each(['0', '0.0s', '86401', '86400.5', '2d'])('may not be %s', (text) => {
    expect(thrownBy(() => timeoutSeconds(text))).toEqual(
      refusal('--timeout must be more than 0, and at most a day'),
    )
  })

  it('is a duration', () => {
    expect(thrownBy(() => timeoutSeconds('soon'))).toEqual(
      refusal('--timeout must be a duration such as 90s, 15m, 2h or 7d'),
    )
  })
})
