import { describe, expect, it } from 'vitest'
import { printableJson, printableLine } from '../src/printable.js'

describe('a line with text from outside', () => {
  it.each([
    ['a screen that is cleared', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['a sequence of one character', 'a\u009b2Jb', 'a\\u{9b}2Jb'],
    ['text that is concealed', '\u001b[8mhidden', '\\u{1b}[8mhidden'],
    ['a link', '\u001b]8;;http://x\u0007', '\\u{1b}]8;;http://x\\u{7}'],
    ['a direction that is turned', 'a\u202eb', 'a\\u{202e}b'],
    ['a carriage return', 'good\rbad', 'good\\rbad'],
  ])('shows %s as an escape', (_, text, expected) => {
    expect(printableLine(text)).toBe(expected)
  })

  it('keeps our own colors and line breaks', () => {
    const text = '\u001b[31mred\u001b[39m\n\u001b[1mbold\u001b[22m'
    expect(printableLine(text)).toBe(text)
  })
})

it('JSON contains no character that controls a terminal, and keeps its value', () => {
  const value = { text: 'a\u009b\u001b[2J\u202e\u2028\u{e0001}b' }
  const json = printableJson(value)
  expect(json).toMatch(/^[\u0020-\u007e]+$/)
  expect(JSON.parse(json)).toEqual(value)
})
