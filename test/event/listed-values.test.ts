import { describe, expect, it } from 'vitest'
import { expectedValues } from '../../src/event/expected-values.js'

/** As zod lists the values of an enum. */
const zod = (values: unknown) => ({ code: 'invalid_value', values })

describe('the values that a schema lists are shown', () => {
  it.each([
    ['a text', ['a'], '"a"'],
    ['a number', [1], '1'],
    ['a boolean', [true], 'true'],
    ['null and a text', [null, 'a'], 'one of null, "a"'],
    ['a text of 40 characters', ['y'.repeat(40)], `"${'y'.repeat(40)}"`],
    ['a text of 41 characters', ['y'.repeat(41)], `"${'y'.repeat(40)}…"`],
    ['a list of 120 characters', ten(), `one of ${ten().map(quoted).join(', ')}`],
    ['a longer list', [...ten(), 1], `one of ${ten().map(quoted).join(', ')} and 1 more`],
  ])('with %s', (_, values, shown) => {
    expect(expectedValues(zod(values), {})).toBe(shown)
  })

  it('although the data has a part of a value, or a text or number that only resembles a boolean or null', () => {
    expect(expectedValues(zod(['a', 'b']), { x: 'abc' })).toBe('one of "a", "b"')
    const data = { zero: 0, one: 1, texts: ['true', 'false', 'null'] }
    expect(expectedValues(zod([true, false, null]), data)).toBe('one of true, false, null')
  })

  it.each(['picklist', 'enum', 'literal', 'variant'])('with those of a %s of valibot', (type) => {
    const issue = { kind: 'schema', type, expected: '("a" | 1 | null)' }
    expect(expectedValues(issue, {})).toBe('one of "a", 1, null')
  })

  it('with the discriminators of a union of zod', () => {
    expect(expectedValues({ code: 'invalid_union', options: ['a'] }, {})).toBe('"a"')
  })
})

describe('nothing is shown', () => {
  it.each([
    ['of a list with something else in it', zod(['a', {}])],
    ['of the options of another issue', { code: 'custom', options: ['a'], values: ['a'] }],
    ['of another issue of valibot', { kind: 'validation', type: 'picklist', expected: '"a"' }],
    ['of another schema of valibot', { kind: 'schema', type: 'string', expected: '"a"' }],
    ['of what valibot expects in words', { kind: 'schema', type: 'literal', expected: 'string' }],
    ['of an issue without a list', {}],
  ])('%s', (_, issue) => {
    expect(expectedValues(issue, {})).toBeUndefined()
  })

  it.each([
    ['a text', { x: ['a'] }],
    ['a number as text', { x: '7' }],
    ['a text that is a number', { x: 8 }],
  ])('of a list that holds %s of the data', (_, data) => {
    expect(expectedValues(zod(['a', 7, '8']), data)).toBeUndefined()
  })
})

/** Ten texts of eight characters. With quotes and commas they fill the longest list. */
function ten(): string[] {
  return Array.from({ length: 10 }, (_, i) => `value_0${i}`)
}

function quoted(text: string): string {
  return `"${text}"`
}
