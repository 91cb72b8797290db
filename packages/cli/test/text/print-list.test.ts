import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type Column, printList } from '../../src/print-list.js'
import { printResult } from '../../src/print-result.js'
import { createPrinter } from '../../src/printer.js'
import type { World } from '../../src/world.js'

interface Row {
  readonly id: string
  readonly count?: number | null
  readonly note?: string
}

const columns: readonly Column<Row>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'COUNT', text: ({ count }) => count, isExtra: true },
  { title: 'NOTE', text: ({ note }) => note, isProse: true },
]

/** What is printed on a terminal with so many columns, or to a pipe. */
function printed(work: (print: ReturnType<typeof createPrinter>) => void, width?: number) {
  const stream = () => Object.assign(new PassThrough(), width && { isTTY: true, columns: width })
  const [stdout, stderr] = [stream(), stream()]
  work(createPrinter({ stdout, stderr, env: {} } as unknown as World, { color: false }))
  const lines = (of: PassThrough) =>
    String(of.read() ?? '')
      .split('\n')
      .slice(0, -1)
  return { out: lines(stdout), err: lines(stderr) }
}

const list = (records: readonly Row[], width?: number, json = false, of = columns) =>
  printed((print) => printList(records, of, { print, json, empty: 'There is nothing.' }), width)

const rows: readonly Row[] = [
  { id: 'evt_1', count: 12, note: 'short' },
  { id: 'evt_long', count: null },
]

describe('a list', () => {
  it('is a table in a terminal, without white space at the end of a line', () => {
    expect(list(rows, 80)).toEqual({
      out: ['ID        COUNT  NOTE', 'evt_1     12     short', 'evt_long'],
      err: [],
    })
  })

  it('is one JSON object a line in a pipe, and with --json', () => {
    const lines = rows.map((row) => JSON.stringify(row))
    expect(list(rows)).toEqual({ out: lines, err: [] })
    expect(list(rows, 80, true)).toEqual({ out: lines, err: [] })
  })

  it('says in a terminal that it is empty, and prints nothing to a pipe', () => {
    expect(list([], 80)).toEqual({ out: ['There is nothing.'], err: [] })
    expect(list([])).toEqual({ out: [], err: [] })
    expect(list([], 80, true)).toEqual({ out: [], err: [] })
  })

  it('aligns characters that are two columns wide', () => {
    expect(
      list(
        [
          { id: '日本', count: 1 },
          { id: 'abcdef', count: 2 },
        ],
        80,
      ).out,
    ).toEqual(['ID      COUNT  NOTE', '日本    1', 'abcdef  2'])
  })

  it('keeps characters that are narrower than they are long', () => {
    expect(list([{ id: 'e\u0301'.repeat(4), count: 1 }], 80).out).toEqual([
      'ID    COUNT  NOTE',
      `${'e\u0301'.repeat(4)}  1`,
    ])
  })

  it('cuts prose in its first column too', () => {
    const of = [{ ...columns[2], title: 'CAUSE' } as (typeof columns)[number], ...columns.slice(0, 1)]
    expect(list([{ id: 'evt_1', note: 'x'.repeat(70) }], 60, false, of).out).toEqual([
      `CAUSE${' '.repeat(50)}ID`,
      `${'x'.repeat(52)}…  evt_1`,
    ])
  })

  it('cuts a cell at 80 characters', () => {
    const of = columns.slice(0, 1)
    expect(list([{ id: 'x'.repeat(80) }], 200, false, of).out[1]).toBe('x'.repeat(80))
    expect(list([{ id: 'x'.repeat(81) }], 200, false, of).out[1]).toBe(`${'x'.repeat(79)}…`)
  })

  it('shows control characters as escapes', () => {
    expect(list([{ id: 'a\u001b[2J', note: 'b\nc' }], 80).out[1]).toBe('a\\u{1b}[2J         b\\nc')
  })
})

describe('prose in a list', () => {
  const note = 'the ledger refuses every transfer of this account until it is open again'
  const one = [{ id: 'evt_1', count: 1, note }]

  it('is cut at the width of the terminal', () => {
    expect(list(one, 86).out[1]).toBe(`evt_1  1      ${note}`)
    expect(list(one, 85).out[1]).toBe(`evt_1  1      ${note.slice(0, -2)}…`)
    expect(list(one, 54).out).toEqual([
      'ID     COUNT  NOTE',
      'evt_1  1      the ledger refuses every transfer of th…',
    ])
  })

  it('stands below its row where it would get fewer than 40 columns', () => {
    expect(list(one, 53)).toEqual({
      out: [
        'ID     COUNT',
        '  NOTE',
        'evt_1  1',
        '  the ledger refuses every transfer of this account',
        '  until it is open again',
      ],
      err: [],
    })
  })

  it('stays beside its row where all of it has room', () => {
    expect(list([{ id: 'evt_1', count: 1, note: 'closed' }], 20).out).toEqual([
      'ID     COUNT  NOTE',
      'evt_1  1      closed',
    ])
    expect(list([{ id: 'evt_1', count: 1, note: 'closed' }], 19).out).toEqual([
      'ID     COUNT',
      '  NOTE',
      'evt_1  1',
      '  closed',
    ])
  })

  it('is cut at 240 characters below its row, and is left out where there is none', () => {
    const long = [
      { id: 'evt_1', note: 'x'.repeat(241) },
      { id: 'evt_2' },
      { id: 'evt_3', note: 'y'.repeat(240) },
    ]
    expect(list(long, 30).out).toEqual([
      'ID     COUNT',
      '  NOTE',
      'evt_1',
      `  ${'x'.repeat(239)}…`,
      'evt_2',
      'evt_3',
      `  ${'y'.repeat(240)}`,
    ])
  })
})

describe('a column that is less useful', () => {
  it('is left out where the terminal has no room for it, and is named', () => {
    const of = columns.slice(0, 2)
    const one = [{ id: 'evt_1', count: 1 }]
    expect(list(one, 12, false, of)).toEqual({ out: ['ID     COUNT', 'evt_1  1'], err: [] })
    expect(list(one, 11, false, of)).toEqual({
      out: ['ID', 'evt_1'],
      err: ['not shown, because the terminal has only 11 columns: COUNT. --json shows them.'],
    })
  })

  it('is left out one after the other, the last one first', () => {
    const extra = (title: string) => ({ title, text: () => 'abc', isExtra: true }) as const
    const of = [extra('AAA'), { title: 'ID', text: ({ id }: Row) => id }, extra('BBB'), extra('CCC')]
    const titles = (width: number) => list([{ id: 'evt_1' }], width, false, of)
    expect(titles(20)).toEqual({ out: ['AAA  ID     BBB  CCC', 'abc  evt_1  abc  abc'], err: [] })
    expect(titles(19).out[0]).toBe('AAA  ID     BBB')
    expect(titles(14)).toEqual({
      out: ['AAA  ID', 'abc  evt_1'],
      err: ['not shown, because the terminal has only 14 columns: BBB, CCC. --json shows them.'],
    })
    expect(titles(3).out).toEqual(['ID', 'evt_1'])
  })
})

it('a result is a line in a terminal, and JSON in a pipe and with --json', () => {
  const result = (json: boolean, width?: number) =>
    printed((print) => printResult({ id: 'evt_1' }, 'evt_1  queued', { print, json }), width).out
  expect(result(false, 80)).toEqual(['evt_1  queued'])
  expect(result(true, 80)).toEqual(['{"id":"evt_1"}'])
  expect(result(false)).toEqual(['{"id":"evt_1"}'])
})
