import { describe, expect, it } from 'vitest'
import { type Command, defineCommand, type Table } from '../../src/command.js'
import { webhookInbox } from '../in-process.js'

const copy: Command = defineCommand({
  usage: 'FILE ...',
  about: 'Copies files. It keeps their names, their times and what they contain, wherever they are put.',
  positionals: { min: 1, max: 2 },
  options: {
    to: { type: 'string', short: 't', value: 'FOLDER', help: 'Where to' },
    mode: { type: 'string', value: 'MODE', choices: ['fast', 'safe'], default: 'safe', help: 'How' },
    skip: { type: 'string', value: 'NAME', multiple: true, help: 'Not this one' },
    force: { type: 'boolean', short: 'f', help: 'Overwrite' },
  },
  examples: [
    ['a.txt --to b', 'Copies one file.'],
    ['', 'Copies nothing, and says what is missing from the command line, at a length that wraps.'],
  ],
  run: async () => 0,
})

const plain: Command = defineCommand({
  about: 'Does nothing.',
  options: {},
  examples: [['', 'Nothing.']],
  run: async () => 0,
})

const table: Table = {
  copy: { summary: 'Copy files', load: async () => copy },
  tree: {
    summary: 'Work on folders',
    fallback: 'list',
    commands: {
      list: { summary: 'List them', load: async () => plain },
      prune: { summary: 'Remove empty ones', load: async () => copy },
    },
  },
  bare: { summary: 'Nothing by itself', commands: { run: { summary: 'Run', load: async () => plain } } },
}

const help = async (args: readonly string[], columns?: number) => {
  const { code, stdout, stderr } = await webhookInbox(args, { table, ...(columns && { columns }) })
  expect(stderr).toBe('')
  return { code, lines: stdout.split('\n').slice(0, -1) }
}

const general = [
  'webhook-inbox <command> [options]',
  '',
  'Signs, verifies and sends webhooks, and operates the inbox.',
  '',
  'Commands',
  '  copy      Copy files',
  '  tree ...  Work on folders',
  '  bare ...  Nothing by itself',
  '',
  'Options',
  '  -h, --help     Print this help',
  '  --json         Print JSON',
  '  --no-color     Print without colors, as NO_COLOR=1 does',
  '  -V, --version  Print the version',
  '',
  'webhook-inbox <command> --help explains one command.',
]

const ofTree = [
  'webhook-inbox tree <command> [options]',
  '',
  'Work on folders.',
  '',
  'Commands',
  '  list   List them',
  '  prune  Remove empty ones',
  '',
  'Without a command: webhook-inbox tree list.',
  'webhook-inbox tree <command> --help explains one command.',
]

const ofCopy = (name: string) => [
  `webhook-inbox ${name} FILE ... [options]`,
  '',
  'Copies files. It keeps their names, their times and what they contain, wherever',
  'they are put.',
  '',
  'Options',
  '  -t, --to FOLDER  Where to',
  '  --mode MODE      How (one of fast, safe; default safe)',
  '  --skip NAME      Not this one (may be repeated)',
  '  -f, --force      Overwrite',
  '  -h, --help       Print this help',
  '  --json           Print JSON',
  '  --no-color       Print without colors, as NO_COLOR=1 does',
  '',
  'Examples',
  `  webhook-inbox ${name} a.txt --to b`,
  '      Copies one file.',
  `  webhook-inbox ${name}`,
  '      Copies nothing, and says what is missing from the command line, at a',
  '      length that wraps.',
]

describe('the whole help', () => {
  it.each([[['--help']], [['-h']], [['help']], [['help', '--json']]])('of %j', async (args) => {
    expect(await help(args)).toEqual({ code: 0, lines: general })
  })

  it('of no arguments is the same, with the status of a wrong command line', async () => {
    expect(await help([])).toEqual({ code: 2, lines: general })
  })

  it.each([[['tree', '--help']], [['tree', '-h']], [['help', 'tree']]])('of a group: %j', async (args) => {
    expect(await help(args)).toEqual({ code: 0, lines: ofTree })
  })

  it('of a group without a command is the status of a wrong command line, where it has no fallback', async () => {
    const { code, lines } = await help(['bare'])
    expect([code, lines.slice(-3)]).toEqual([
      2,
      ['  run  Run', '', 'webhook-inbox bare <command> --help explains one command.'],
    ])
    expect((await help(['bare', '--json'])).code).toBe(0)
    expect(await help(['tree'])).toEqual({ code: 0, lines: [] })
    expect(await help(['tree', '--json'])).toEqual({ code: 0, lines: [] })
  })

  it.each([
    [['copy', '--help'], 'copy'],
    [['copy', 'a', 'b', 'c', '-h'], 'copy'],
    [['help', 'copy'], 'copy'],
    [['--help', 'copy'], 'copy'],
    [['tree', 'prune', '--help'], 'tree prune'],
    [['help', 'tree', 'prune'], 'tree prune'],
  ])('of a command: %j', async (args, name) => {
    expect(await help(args)).toEqual({ code: 0, lines: ofCopy(name) })
  })

  it('of a command without arguments', async () => {
    expect((await help(['tree', 'list', '--help'])).lines).toEqual([
      'webhook-inbox tree list [options]',
      '',
      'Does nothing.',
      '',
      'Options',
      '  -h, --help  Print this help',
      '  --json      Print JSON',
      '  --no-color  Print without colors, as NO_COLOR=1 does',
      '',
      'Examples',
      '  webhook-inbox tree list',
      '      Nothing.',
    ])
  })

  it('has at most 100 columns in a wide terminal', async () => {
    const plainText = async (columns: number) =>
      (await webhookInbox(['copy', '--help'], { table, columns, env: { NO_COLOR: '1' } })).stdout
    expect(await plainText(200)).toBe(await plainText(100))
    expect((await plainText(100)).split('\n')[2]).toBe(
      'Copies files. It keeps their names, their times and what they contain, wherever they are put.',
    )
    expect(await plainText(92)).not.toBe(await plainText(100))
  })

  it('has bold headings and dim explanations in a terminal', async () => {
    const { lines } = await help(['copy', '--help'], 80)
    const bold = (text: string) => `\u001b[1m${text}\u001b[22m`
    expect(lines[0]).toBe(`${bold('webhook-inbox copy')} FILE ... [options]`)
    expect([lines[5], lines[14]]).toEqual([bold('Options'), bold('Examples')])
    expect(lines[16]).toBe('      \u001b[2mCopies one file.\u001b[22m')
    expect((await help(['--help'], 80)).lines[0]).toBe(`${bold('webhook-inbox')} <command> [options]`)
    expect((await help(['tree', '-h'], 80)).lines[0]).toBe(
      `${bold('webhook-inbox tree')} <command> [options]`,
    )
  })
})
