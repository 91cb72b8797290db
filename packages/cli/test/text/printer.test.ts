import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createPrinter } from '../../src/printer.js'
import type { World } from '../../src/world.js'

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly hasColors?: (env?: { NO_COLOR?: string }) => boolean
}

const hasColors: Terminal['hasColors'] = (env) => env?.NO_COLOR === undefined
const terminal: Terminal = { isTTY: true, columns: 33, hasColors }

function open(
  { stdout = {}, stderr = {} }: { readonly stdout?: Terminal; readonly stderr?: Terminal } = {},
  { color = true, env = {} }: { readonly color?: boolean; readonly env?: Record<string, string> } = {},
) {
  const streams = {
    stdout: Object.assign(new PassThrough(), stdout),
    stderr: Object.assign(new PassThrough(), stderr),
  }
  const print = createPrinter({ ...streams, env } as unknown as World, { color })
  const textOf = (stream: PassThrough) => String(stream.read() ?? '')
  return { print, out: () => textOf(streams.stdout), err: () => textOf(streams.stderr) }
}

describe('a printer', () => {
  it('writes results to stdout, and what a person reads to stderr', () => {
    const { print, out, err } = open()
    print.line('one')
    print.line()
    print.json({ a: [1, 'é'] })
    print.json(undefined)
    expect([out(), err()]).toEqual(['one\n\n{"a":[1,"é"]}\nnull\n', ''])
    print.note('a note')
    print.warn('a warning')
    expect([out(), err()]).toEqual(['', 'a note\nwarning: a warning\n'])
  })

  it('makes text from outside safe', () => {
    const { print, out, err } = open()
    print.line('a\u001b[2J\tb\nc')
    print.json('a\u009bb\u202e')
    print.note('a\nb\r\tc')
    print.warn('a\nb')
    expect(out()).toBe('a\\u{1b}[2J\\tb\nc\n"a\\u009bb\\u202e"\n')
    expect(err()).toBe('a\\nb\\r\\tc\nwarning: a\\nb\n')
  })

  it.each<[string, Parameters<typeof open>, boolean, boolean]>([
    ['two terminals', [{ stdout: terminal, stderr: terminal }], true, true],
    ['stdout alone', [{ stdout: terminal }], true, false],
    ['stderr alone', [{ stderr: terminal }], false, true],
    ['two pipes', [], false, false],
    ['--no-color', [{ stdout: terminal, stderr: terminal }, { color: false }], false, false],
    ['NO_COLOR', [{ stdout: terminal, stderr: terminal }, { env: { NO_COLOR: '1' } }], false, false],
    ['a terminal without colors', [{ stdout: { isTTY: true }, stderr: { isTTY: true } }], false, false],
    ['a pipe that could', [{ stdout: { hasColors }, stderr: { hasColors } }], false, false],
  ])('colors with %s', (_, setting, isOut, isErr) => {
    const { print, out, err } = open(...setting)
    print.line(print.style('red', 'a'))
    print.line(print.style(['red', 'bold'], 'b'))
    print.warn('c')
    expect(out()).toBe(isOut ? '\u001b[31ma\u001b[39m\n\u001b[31m\u001b[1mb\u001b[22m\u001b[39m\n' : 'a\nb\n')
    expect(err()).toBe(`${isErr ? '\u001b[33mwarning:\u001b[39m' : 'warning:'} c\n`)
  })

  it.each<[Terminal, number, boolean]>([
    [terminal, 33, true],
    [{ isTTY: true, columns: 0 }, 80, true],
    [{ isTTY: true }, 80, true],
    [{ columns: 33 }, 80, false],
    [{ isTTY: false, columns: 33 }, 80, false],
    [{}, 80, false],
  ])('of %j has %i columns', (stdout, width, isTerminal) => {
    expect(open({ stdout }).print).toMatchObject({ width, isTerminal })
  })
})

describe('a hidden secret', () => {
  it('is replaced in all that is printed from then on', () => {
    const { print, out, err } = open()
    print.line('whsec_1 before')
    print.hide('whsec_1')
    print.hide('whsec_2')
    print.line('whsec_1 whsec_2 whsec_1')
    print.json({ whsec_1: 'whsec_2' })
    print.note('whsec_1')
    print.warn('whsec_2')
    expect(out()).toBe('whsec_1 before\n[secret] [secret] [secret]\n{"[secret]":"[secret]"}\n')
    expect(err()).toBe('[secret]\nwarning: [secret]\n')
  })

  it('is found without the white space around it, and in JSON', () => {
    const { print, out, err } = open()
    print.hide(' whsec_"a"\n')
    print.line('whsec_"a"')
    print.json({ text: ' whsec_"a"\n' })
    print.note(' whsec_"a"\n.')
    expect([out(), err()]).toEqual(['[secret]\n{"text":"[secret]"}\n', '[secret].\n'])
  })

  it('has at least six characters, because a shorter one is a part of words', () => {
    const { print, out } = open()
    print.hide('12345')
    print.line('12345')
    print.hide('123456')
    print.line('123456')
    expect(out()).toBe('12345\n[secret]\n')
  })
})
