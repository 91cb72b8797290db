import { describe, expect, it } from 'vitest'
import { plural } from '../../src/plural.js'
import { definitions, wrap } from '../../src/wrap.js'

describe('a wrapped text', () => {
  it.each([
    [7, ['one two', 'three']],
    [6, ['one', 'two', 'three']],
    [12, ['one two', 'three']],
    [13, ['one two three']],
    [2, ['one', 'two', 'three']],
  ])('in %i columns', (width, lines) => {
    expect(wrap('one two three', width)).toEqual(lines)
  })

  it('is one line, even where it is empty', () => {
    expect(wrap('', 10)).toEqual([''])
    expect(wrap('unbreakable', 4)).toEqual(['unbreakable'])
  })
})

describe('terms with explanations', () => {
  const entries = [
    ['-a, --all', 'takes every one of them'],
    ['--id', 'one'],
  ] as const

  it('stand beside each other', () => {
    expect(definitions(entries, 40)).toEqual(['  -a, --all  takes every one of them', '  --id       one'])
  })

  it('go on below the beginning of the explanation', () => {
    const narrow = [['--id', 'the identifier of an event of the sender']] as const
    expect(definitions(narrow, 32)).toEqual(['  --id  the identifier of an', '        event of the sender'])
  })

  it('stand below each other where an explanation would get fewer than 24 columns', () => {
    expect(definitions(entries, 37)).toEqual(['  -a, --all  takes every one of them', '  --id       one'])
    expect(definitions(entries, 36)).toEqual([
      '  -a, --all',
      '      takes every one of them',
      '  --id',
      '      one',
    ])
    expect(definitions([['--id', 'the identifier of an event']], 25)).toEqual([
      '  --id',
      '      the identifier of',
      '      an event',
    ])
  })

  it('get at least 16 columns', () => {
    expect(definitions([['--id', 'the identifier of an event']], 1)).toEqual([
      '  --id',
      '      the identifier',
      '      of an event',
    ])
  })
})

describe('a number of things', () => {
  it.each([
    [0, '0 events'],
    [1, '1 event'],
    [2, '2 events'],
    [1234567, '1,234,567 events'],
  ])('%i', (count, text) => {
    expect(plural(count, 'event')).toBe(text)
  })

  it('has a plural of its own', () => {
    expect(plural(1, 'delivery', 'deliveries')).toBe('1 delivery')
    expect(plural(2, 'delivery', 'deliveries')).toBe('2 deliveries')
  })
})
