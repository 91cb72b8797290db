import { describe, expect, it } from 'vitest'
import { isGroup } from '../src/command.js'
import { commands } from '../src/commands.js'
import { eventColumns } from '../src/inbox/event-columns.js'
import { nearest } from '../src/nearest.js'
import { printTable } from '../src/print-list.js'
import { webhookInbox } from './in-process.js'

const names = Object.entries(commands).flatMap(([name, entry]) =>
  isGroup(entry) ? Object.keys(entry.commands).map((inner) => `${name} ${inner}`) : [name],
)

describe('the command line', () => {
  it('prints every command with --help', async () => {
    const { code, stdout, stderr } = await webhookInbox(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of Object.keys(commands)) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    }
  })

  it('prints the same help for no arguments, and reports a usage error', async () => {
    const { code, stdout } = await webhookInbox([])
    expect(code).toBe(2)
    expect(stdout).toBe((await webhookInbox(['--help'])).stdout)
  })

  it.each(names)('explains %s, with every option and an example', async (name) => {
    const { code, stdout, stderr } = await webhookInbox([...name.split(' '), '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`webhook-inbox ${name}`)
    expect(stdout).toMatch(/\nExamples\n {2}webhook-inbox /)
    expect(stdout).toContain('--json')
    expect(await webhookInbox(['help', ...name.split(' ')])).toMatchObject({ code, stdout, stderr })
  })

  it.each([24, 40, 80, 200])('keeps its help within %i columns where words allow', async (columns) => {
    const { stdout } = await webhookInbox(['sign', '--help'], { columns, env: { NO_COLOR: '1' } })
    const prose = stdout.split('\n').filter((line) => !line.includes('webhook-inbox '))
    const tooLong = prose.filter((line) => line.length > columns && line.trim().includes(' '))
    expect(tooLong.filter((line) => !line.startsWith('  -'))).toEqual([])
  })

  it('prints its version', async () => {
    const { stdout } = await webhookInbox(['--version'])
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([
    [['sing', 'x'], 'unknown command sing; did you mean sign?'],
    [['complet'], 'unknown command complet; did you mean completion?'],
    [['--hlep'], 'unknown option --hlep; did you mean --help?'],
    [['listen'], 'unknown command listen; did you mean sandbox listen?'],
    [['replay', 'evt_1'], 'unknown command replay; did you mean sandbox replay or inbox replay?'],
    [['help', 'listen'], 'unknown command listen; did you mean sandbox listen?'],
    [['inbox', 'lsit'], 'inbox has no command lsit; did you mean list?'],
    [['inbox', 'lst'], 'inbox has no command lst; did you mean list?'],
    [['sign', '--crul', 'x', 'y'], 'unknown option --crul; did you mean --curl?'],
    [['sign', 'x', '--timestmap', '1'], 'unknown option --timestmap; did you mean --timestamp?'],
    [['sign', 'x', '-x'], 'unknown option -x'],
    [['sign', 'x', '--id'], '--id needs a value: --id ID'],
    [['sign', 'x', '--id', '--curl', 'y'], '--id needs a value: --id ID'],
    [['sign', 'x', '--id', 'a', '--id', 'b'], '--id is given twice'],
    [['sign', 'x', '--json=yes'], '--json takes no value'],
    [['sign'], 'sign needs FILE|-: webhook-inbox sign FILE|-'],
    [['sign', 'a', 'b'], 'at most 1 argument expected, 2 given: webhook-inbox sign FILE|-'],
    [['inbox', 'show'], 'inbox show needs EVENT_ID|KEY: webhook-inbox inbox show EVENT_ID|KEY'],
    [
      ['inbox', 'replay-edited', 'evt_1'],
      'inbox replay-edited needs FILE|-: webhook-inbox inbox replay-edited EVENT_ID FILE|-',
    ],
    [
      ['send', 'http://127.0.0.1:3000/', 'transfer.settled'],
      'at most 1 argument expected, 2 given: webhook-inbox send TYPE|FILE --to URL',
    ],
  ])('rejects %j in one line that says what to do', async (args, message) => {
    const { code, stdout, stderr } = await webhookInbox(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const [first, second, ...rest] = stderr.split('\n')
    expect(first).toBe(`webhook-inbox: ${message}`)
    expect(second).toMatch(/^See webhook-inbox ([a-z -]+ )?--help\.$/)
    expect(rest).toEqual([''])
  })

  it('points a misspelled command of a group to the help of the group', async () => {
    const { stderr } = await webhookInbox(['inbox', 'lsit'])
    expect(stderr).toMatch(/\nSee webhook-inbox inbox --help\.\n$/)
  })

  it('does not repeat the value of an unknown option, which may be a secret', async () => {
    const { stderr } = await webhookInbox(['sign', 'x', '--secert', 'whsec_do_not_print'])
    expect(stderr).toContain('did you mean --secret?')
    expect(stderr).not.toContain('do_not_print')
  })

  it('colors a terminal, and neither a pipe nor a terminal that asks for none', async () => {
    const sequence = '\u001b['
    expect((await webhookInbox(['--help'], { columns: 80 })).stdout).toContain(sequence)
    expect((await webhookInbox(['--help'])).stdout).not.toContain(sequence)
    expect((await webhookInbox(['--help'], { columns: 80, env: { NO_COLOR: '1' } })).stdout).not.toContain(
      sequence,
    )
    expect((await webhookInbox(['sign', '--help', '--no-color'], { columns: 80 })).stdout).not.toContain(
      sequence,
    )
  })
})

describe('a table in a narrow terminal', () => {
  const columns = [
    { title: 'ID', text: ({ id }: { id: string }) => id },
    { title: 'LAST ERROR', text: ({ error }: { error: string }) => error, isProse: true as const },
  ]
  const records = [{ id: 'evt_1', error: 'handler_failed: the ledger refuses every transfer of today' }]

  const lines = (width: number, of: typeof columns, rows: readonly object[] = records) => {
    const printed: string[] = []
    const print = {
      width,
      isTerminal: true,
      style: (_: unknown, text: string) => text,
      line: (text: string) => printed.push(text),
      note: (text: string) => notes.push(text),
    }
    printTable(rows as typeof records, of, print as never)
    return printed
  }
  const notes: string[] = []

  it.each([
    [200, ['ID     LAST ERROR', 'evt_1  handler_failed: the ledger refuses every transfer of today']],
    [50, ['ID     LAST ERROR', 'evt_1  handler_failed: the ledger refuses every t…']],
    [
      40,
      ['ID', '  LAST ERROR', 'evt_1', '  handler_failed: the ledger refuses', '  every transfer of today'],
    ],
    [12, ['ID', '  LAST ERROR', 'evt_1', '  handler_failed:', '  the ledger']],
  ])('of %i columns cuts prose or moves it below, and never cuts an id', (width, expected) => {
    expect(lines(width, columns).slice(0, expected.length)).toEqual(expected)
  })

  it('leaves out the last of its less useful columns first', () => {
    const extra = { text: () => 'a long text', isExtra: true } as const
    const more = [{ title: 'A', ...extra }, ...columns, { title: 'B', ...extra }] as typeof columns
    const titles = (width: number) => lines(width, more)[0]?.split(/ +/)
    expect(titles(100)).toEqual(['A', 'ID', 'LAST', 'ERROR', 'B'])
    expect(titles(50)).toEqual(['A', 'ID', 'B'])
    expect(notes).toEqual([])
    expect(titles(30)).toEqual(['A', 'ID'])
    expect(notes).toEqual(['not shown, because the terminal has only 30 columns: B. --json shows them.'])
    expect(titles(10)).toEqual(['ID'])
  })

  it('keeps the state of an event in 80 columns', () => {
    const event = {
      id: `evt_${'1'.repeat(30)}`,
      type: 'corridor.settlement.reconciliation_completed',
      state: 'dead',
      attempt: 3,
      receivedAt: '2026-01-02T03:04:05.000000Z',
    }
    expect(lines(80, eventColumns as never, [event])[0]).toMatch(/^STATE {2}TYPE +EVENT$/)
  })
})

describe('the nearest name', () => {
  const options = ['body', 'header', 'headers', 'secret', 'secret-file', 'timestamp']

  it.each([
    ['bdoy', 'body'],
    ['Header', 'header'],
    ['haeders', 'headers'],
    ['time', 'timestamp'],
    ['secretfile', 'secret-file'],
    ['secrets', 'secret'],
  ])('to %s is %s', (word, name) => {
    expect(nearest(word, options)).toBe(name)
  })

  it.each(['', 'x', 'zzzzzz', 'constructor'])('to %j is none', (word) => {
    expect(nearest(word, options)).toBeUndefined()
  })
})
