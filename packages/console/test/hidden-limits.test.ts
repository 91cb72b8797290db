import { describe, expect, it } from 'vitest'
import { hiddenValues, withoutHidden, withWords } from '../src/views/hidden-values.js'
import { hideCut } from '../src/views/hide-cut.js'
import { isHidden, noting, resolveMask } from '../src/views/mask.js'
import { maskText } from '../src/views/mask-text.js'
import { maskedDifferences } from '../src/views/masked-differences.js'

const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const maskOf = (...paths: string[]) => resolveMask(paths)

describe('the values that a mask hides', () => {
  it('are looked for one by one, up to 1,000 of them', () => {
    const values = (count: number) => Array.from({ length: count }, (_, at) => `v${at}`)
    const found = (count: number) => hiddenValues(bodyOf({ p: values(count) }), maskOf('p'))
    expect(found(1000)).toHaveLength(1000)
    expect(found(1001)).toBe('all')
  })

  it('are the texts and numbers in them, the longest first, and none without a mask', () => {
    const body = bodyOf({
      p: { name: 'Ada', 'Grace Hopper': 17, a_b$: [true, null, ''], A: 'x' },
      q: 'not hidden',
    })
    expect(hiddenValues(body, maskOf('p'))).toEqual(['Grace Hopper', 'Ada', '17', 'A', 'x'])
    expect(hiddenValues(body, undefined)).toEqual([])
    expect(hiddenValues(body, maskOf('none'))).toEqual([])
  })

  it('are all, where the body is no JSON or no text, or where the mask fails', () => {
    expect(hiddenValues(Buffer.from('no JSON'), maskOf('p'))).toBe('all')
    expect(hiddenValues(Buffer.from([0xff]), maskOf('p'))).toBe('all')
    const failing = resolveMask(() => {
      throw new Error('on purpose')
    })
    expect(hiddenValues(bodyOf({ p: 1 }), failing)).toBe('all')
  })

  it('are found anew for another mask of the same body', () => {
    const body = bodyOf({ p: 'Ada', q: 'Grace' })
    expect(hiddenValues(body, maskOf('p'))).toEqual(['Ada'])
    expect(hiddenValues(body, maskOf('q'))).toEqual(['Grace'])
  })

  it('have words, up to 5,000 of them', () => {
    expect(withWords(['Ada Lovelace', "O'Neil 17"])).toEqual([
      'Ada Lovelace',
      "O'Neil 17",
      'Lovelace',
      'Neil',
      'Ada',
      '17',
      'O',
    ])
    expect(withWords('all')).toBe('all')
    expect(withWords([])).toEqual([])
    expect(withWords(['...'])).toEqual(['...'])
    const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`)
    expect(withWords(words(5000))).toHaveLength(5000)
    expect(withWords(words(5001))).toBe('all')
  })

  it.each([
    ['hidden', ['Ada'], 'no customer Ada', 'no customer •••'],
    ['hidden', ['Ada'], 'ADA and Adam', '••• and Adam'],
    ['hidden', ['Lova'], 'Lovas xLovax', '•••s x•••x'],
    ['hidden', ['a.c'], 'abc a.c', 'abc •••'],
    ['hidden', ['(1|2)'], '1 (1|2)', '1 •••'],
    ['hidden', ['abcd', 'bcdef'], 'abcdef', '•••'],
    ['hidden', ['abcd'], 'abcdabcd', '••••••'],
    ['all', 'all', 'any text', '•••'],
    ['none', [], 'any text', 'any text'],
  ] as const)('%s: %j in %j leaves %j', (_, hidden, text, shown) => {
    expect(withoutHidden(text, hidden)).toBe(shown)
  })

  it('are hidden at every depth of a view', () => {
    const view = { rows: [{ error: 'no Ada', n: 1, list: ['Ada'] }], none: undefined, nothing: null }
    expect(withoutHidden(view, ['Ada'])).toEqual({
      rows: [{ error: 'no •••', n: 1, list: ['•••'] }],
      none: undefined,
      nothing: null,
    })
  })
})

describe('a text that was cut', () => {
  const long = 'x '.repeat(100)
  it.each([
    [`${long}Ada L`, ['Ada Lovelace'], `${long}•••`],
    [`${long}Ada`, ['Ada Lovelace'], `${long}Ada`],
    [`${'x '.repeat(97)}Ada L`, ['Ada Lovelace'], `${'x '.repeat(97)}Ada L`],
    [`${'x '.repeat(97)}xAda L`, ['Ada Lovelace'], `${'x '.repeat(97)}x•••`],
    ['no Ada L…', ['Ada Lovelace'], 'no •••…'],
    ['no Ada…', ['Ada Lovelace'], 'no Ada…'],
    ['no Ada …', ['Ada Lovelace'], 'no •••…'],
    ['Ada L… and Grace H…', ['Ada Lovelace', 'Grace Hopper'], '•••… and •••…'],
    ['no Ada L', ['Ada Lovelace'], 'no Ada L'],
    ['…', ['Ada Lovelace'], '…'],
    ['no Ada Lovelace…', ['Ada Lovelace'], 'no •••…'],
    ['aabaabaac…', ['aabaabaad'], 'aabaabaac…'],
    ['x aabaaba…', ['aabaabc', 'aabab'], 'x aab•••…'],
  ])('%s without %j is %s', (text, values, shown) => {
    expect(hideCut(text, values)).toBe(shown)
  })
})

describe('a mask', () => {
  it.each([
    ['no list', 'data.a'],
    ['an empty path', ['']],
    ['a number among its paths', ['data.a', 1]],
    ['null', null],
    ['an object', {}],
  ])('that is %s is rejected', (_, mask) => {
    expect(() => resolveMask(mask)).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        detail: 'mask must be a list of paths, or a function',
      }),
    )
  })

  it.each<[keys: string[], isCovered: boolean]>([
    [['data', 'a'], true],
    [['data', 'a', 'b'], true],
    [['data'], false],
    [['data', 'ab'], false],
    [['other', 'a'], false],
    [['x', 'y', 'z'], true],
    [['x', 'y'], false],
    [[], false],
  ])('of two paths covers %j: %s', (keys, isCovered) => {
    expect(isHidden(maskOf('data.a', 'x.*.z'), keys)).toBe(isCovered)
    expect(isHidden(undefined, keys)).toBe(false)
  })

  it('notes which of its paths a body has', () => {
    const paths = ['data.a', 'data.list.*.b', 'data.a.c', 'none', 'data.x_y']
    const found = new Set<string>()
    maskText('{"data":{"a":{"c":1},"list":[{"b":1}],"xY":2,"other":{"none":1}}}', noting(paths, found))
    expect([...found].sort()).toEqual(['data.a', 'data.a.c', 'data.list.*.b', 'data.x_y'])
  })

  it('keeps white space, escapes and digits as they are', () => {
    const text = '\t{ "a" :\r\n [ 1.50 , "\\\\" , "\\"}" , -1E+5 ] ,\n"p":"x" , "b":{ } }\n'
    expect(maskText(text, maskOf('p') as never)).toBe(text.replace('"x"', '"•••"'))
    expect(maskText(' "a" ', maskOf('p') as never)).toBe(' "a" ')
    expect(maskText('[ ]', maskOf('p') as never)).toBe('"•••"')
  })

  it('tells what it has hidden: its value, its keys and its text', () => {
    const hidden: unknown[] = []
    maskText('{"a":{"p":[1.0,"x"]},"q":{"p":2}}', maskOf('a.p', 'q') as never, (value, keys, text) => {
      hidden.push([value(), [...keys], text()])
    })
    expect(hidden).toEqual([
      [[1, 'x'], ['a', 'p'], '[1.0,"x"]'],
      [{ p: 2 }, ['q'], '{"p":2}'],
    ])
  })

  it('that is a function may show anything in place of a value', () => {
    const mask = resolveMask((path: string, value: unknown) => (path === 'a' ? undefined : value))
    expect(maskText('{"a":1,"b":2}', mask as never)).toBe('{"a":null,"b":2}')
    const all = resolveMask(() => 'hidden')
    expect(maskText('{"a":1}', all as never)).toBe('{"a":"hidden"}')
  })
})

describe('the hidden values that differ', () => {
  const of = (one: string, other: string) =>
    maskedDifferences(Buffer.from(one), Buffer.from(other), maskOf('a.*'))
  it.each<[one: string, other: string, paths: string[]]>([
    ['{"a":{"b":1,"c":2}}', '{"a":{"b":1,"c":3}}', ['a.c']],
    ['{"a":{"b":1.0}}', '{"a":{"b":1.00}}', ['a.b']],
    ['{"a":{"b":[1,2]}}', '{"a":{"b":[ 1, 2 ]}}', []],
    ['{"a":{"b":"x y"}}', '{"a":{"b":"x  y"}}', ['a.b']],
    ['{"a":{"b":1}}', '{"a":{"c":1}}', []],
    ['{"a":{"b":1,"b":2}}', '{"a":{"b":2,"b":1}}', ['a.b']],
    ['no JSON', '{"a":{"b":1}}', []],
    ['{"a":{"b":1}}', 'no JSON', []],
    ['{}', '{}', []],
  ])('of %s and %s are at %j', async (one, other, paths) => {
    expect(await of(one, other)).toEqual(paths)
  })

  it('are named 100 times at most, and never without a mask', async () => {
    const many = (value: number) =>
      JSON.stringify({ a: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, value])) })
    expect(await of(many(1), many(2))).toHaveLength(100)
    expect(await maskedDifferences(Buffer.from('{"a":1}'), Buffer.from('{"a":2}'), undefined)).toEqual([])
  })

  it('have a path of 300 characters at most', async () => {
    const at = (length: number) => {
      const key = 'k'.repeat(length)
      return of(JSON.stringify({ a: { [key]: 1 } }), JSON.stringify({ a: { [key]: 2 } }))
    }
    expect(await at(298)).toEqual([`a.${'k'.repeat(298)}`])
    expect(await at(299)).toEqual([`a.${'k'.repeat(298)}…`])
  })
})
