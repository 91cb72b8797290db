import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { didYouMean, nearest } from '../../src/nearest.js'

describe('the nearest name', () => {
  it.each([
    ['one letter changed', 'lisa', 'list'],
    ['the first letter changed', 'gist', 'list'],
    ['one letter added', 'llist', 'list'],
    ['one letter at the end', 'lists', 'list'],
    ['one letter too few', 'lst', 'list'],
    ['its first letter missing', 'ist', 'list'],
    ['its last letter missing', 'lis', 'list'],
    ['two neighbors swapped', 'lsit', 'list'],
    ['its first two letters swapped', 'ilst', 'list'],
    ['its last two letters swapped', 'lits', 'list'],
    ['two edits in six letters', 'rexxay', 'replay'],
    ['three edits in nine letters', 'complexxx', 'complete'],
    ['capitals', 'LIST', 'list'],
  ])('may have %s', (_, word, name) => {
    expect(nearest(word, ['discard', 'replay', 'list', 'complete'])).toBe(name)
  })

  it.each([
    ['ab', 'ax'],
    ['abc', 'abx'],
    ['abcde', 'abcdx'],
    ['abcdef', 'abcdxx'],
    ['abcdefgh', 'abcdefxx'],
    ['abcdefghi', 'abcdefxxx'],
    ['abdcfe', 'abcdef'],
  ])('of %s is %s, with one edit for every three letters', (word, name) => {
    expect(nearest(word, [name])).toBe(name)
  })

  it.each([
    ['ab', 'xx'],
    ['abc', 'axx'],
    ['abcde', 'abcxx'],
    ['abcdef', 'abcxxx'],
    ['abcdefgh', 'abcdexxx'],
    ['abc', 'cba'],
    ['abcd', 'cdab'],
    ['abc', 'cab'],
    ['abcdx', 'badc'],
  ])('of %s is not %s, which has more edits', (word, name) => {
    expect(nearest(word, [name])).toBeUndefined()
  })

  it('is the one with the fewest edits, and the first of equals', () => {
    expect(nearest('replat', ['replacx', 'replay', 'repaint'])).toBe('replay')
    expect(nearest('replacy', ['replay', 'replace'])).toBe('replay')
    expect(nearest('replacy', ['replace', 'replay'])).toBe('replace')
  })

  it('is the only name that begins with the word', () => {
    expect(nearest('ti', ['timestamp', 'secret'])).toBe('timestamp')
    expect(nearest('TI', ['timestamp', 'secret'])).toBe('timestamp')
    expect(nearest('se', ['secret', 'secret-file', 'timestamp'])).toBeUndefined()
    expect(nearest('t', ['timestamp', 'secret'])).toBeUndefined()
    expect(nearest('stamp', ['timestamp'])).toBeUndefined()
    expect(nearest('any', [])).toBeUndefined()
  })

  it('is found for every single edit of it', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 4, maxLength: 12 })
    fc.assert(
      fc.property(letters, fc.nat(), fc.constantFrom(...'wxyz'), (name, at, other) => {
        const place = at % name.length
        const [before, after] = [name.slice(0, place), name.slice(place + 1)]
        for (const word of [before + after, before + other + after, before + other + name.slice(place)]) {
          expect(nearest(word, ['zzzzzzzzzzzzzzzz', name])).toBe(name)
        }
      }),
    )
  })
})

describe('a suggestion', () => {
  it('is a part of a message, or nothing', () => {
    expect(didYouMean('sing', ['sign', 'send'])).toBe('; did you mean sign?')
    expect(didYouMean('--bdoy', ['body', 'header'], '--')).toBe('; did you mean --body?')
    expect(didYouMean('unlike', ['sign', 'send'])).toBe('')
  })

  it('compares no prefix', () => {
    expect(didYouMean('--bx', ['body'], '--')).toBe('')
    expect(didYouMean('--b', ['b', 'body'], '--')).toBe('; did you mean --b?')
  })
})
