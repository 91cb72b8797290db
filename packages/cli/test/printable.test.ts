import { describe, expect, it } from 'vitest'
import { excerpt, printable, printableJson, printableLine } from '../src/printable.js'
import { webhookInbox } from './in-process.js'

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

  it.each([0, 7, 22, 29, 30, 39, 40, 49, 90, 99, 100, 107])('keeps the color %i', (color) => {
    expect(printableLine(`\u001b[${color}mx`)).toBe(`\u001b[${color}mx`)
  })

  it.each(['8', '9', '20', '21', '50', '108', '110', '31;1', 'x', ''])(
    'shows the sequence %j as an escape',
    (code) => {
      expect(printableLine(`\u001b[${code}mx`)).toBe(`\\u{1b}[${code}mx`)
    },
  )
})

it('JSON contains no character that controls a terminal, and keeps its value', () => {
  const value = { text: 'a\u009b\u001b[2J\u202e\u2028\u{e0001}b' }
  const json = printableJson(value)
  expect(json).toMatch(/^[\u0020-\u007e]+$/)
  expect(JSON.parse(json)).toEqual(value)
})

describe('text from outside', () => {
  it.each([
    ['\n\r\t', '\\n\\r\\t'],
    ['\u0000', '\\u{0}'],
    ['\u007f', '\\u{7f}'],
    ['\u200b', '\\u{200b}'],
    ['\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['\ud800', '\\u{d800}'],
    ['\u{e0001}', '\\u{e0001}'],
    ['Zoë 日本 🏦', 'Zoë 日本 🏦'],
  ])('%j is printable as %s', (text, expected) => {
    expect(printable(text)).toBe(expected)
  })

  it('is cut to a length, which counts its escapes and the ellipsis', () => {
    expect(excerpt('abcdef', 6)).toBe('abcdef')
    expect(excerpt('abcdef', 5)).toBe('abcd…')
    expect(excerpt('a\nbc', 5)).toBe('a\\nbc')
    expect(excerpt('a\nbc', 4)).toBe('a\\n…')
    expect(excerpt('', 1)).toBe('')
  })

  it('is JSON in a JSON string, with four digits for each unit', () => {
    expect(printableJson('\u007f\u00ad\u2029\u{e0001}Zoë')).toBe('"\\u007f\\u00ad\\u2029\\udb40\\udc01Zoë"')
    expect(printableJson(undefined)).toBe('null')
  })
})

describe('an error with an argument of the caller', () => {
  const given = 'x\u001b[31m\nfake'
  it.each([
    ['a module', ['inbox', 'show', 'evt_1', '--receiver', `./${given}.mjs`]],
    ['a file', ['verify', `./${given}.json`, '--secret', 'whsec_x']],
    ['an event', ['send', `./${given}.json`, '--to', 'http://127.0.0.1:1/', '--secret', 'whsec_x']],
    ['an option', [`--${given}`]],
    ['an option of a command', ['send', `--${given}`]],
    ['a command', ['inbox', given]],
    ['a header', ['send', 'x.y', '--to', 'http://127.0.0.1:1/', '--header', given, '--secret', 'whsec_x']],
    ['a field', ['send', 'x.y', '--to', 'http://127.0.0.1:1/', '--set', given, '--secret', 'whsec_x']],
  ])('prints %s in one line and without a color', async (_, args) => {
    const { code, stderr } = await webhookInbox(args, { columns: 80 })
    expect(code).toBe(2)
    expect(stderr).not.toContain('\u001b[31m')
    expect(stderr).not.toMatch(/^fake/m)
  })
})
