import { describe, expect, it } from 'vitest'
import { printableJson, printableLine } from '../src/printable.js'
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
})

it('JSON contains no character that controls a terminal, and keeps its value', () => {
  const value = { text: 'a\u009b\u001b[2J\u202e\u2028\u{e0001}b' }
  const json = printableJson(value)
  expect(json).toMatch(/^[\u0020-\u007e]+$/)
  expect(JSON.parse(json)).toEqual(value)
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
