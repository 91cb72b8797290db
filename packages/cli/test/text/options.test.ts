import { describe, expect, it } from 'vitest'
import { type Call, type Command, defineCommand, type Table } from '../../src/command.js'
import { webhookInbox } from '../in-process.js'

const options = {
  to: { type: 'string', short: 't', value: 'FOLDER', help: 'Where to' },
  mode: { type: 'string', value: 'MODE', choices: ['fast', 'safe'], default: 'safe', help: 'How' },
  skip: { type: 'string', short: 's', value: 'NAME', multiple: true, help: 'Not this one' },
  force: { type: 'boolean', short: 'f', help: 'Overwrite' },
} as const

/** What a command gets from a command line, or what is printed instead. */
async function parsed(args: readonly string[], positionals?: Command['positionals'], usage = 'FILE FOLDER') {
  let call: Call | undefined
  const command = defineCommand({
    usage,
    about: 'Copies.',
    ...(positionals && { positionals }),
    options,
    examples: [],
    run: async (given) => {
      call = given as unknown as Call
      return 1
    },
  })
  const table: Table = { copy: { summary: 'Copy', load: async () => command } }
  const { code, stdout, stderr } = await webhookInbox(['copy', ...args], { table })
  expect(stdout).toBe('')
  if (call) {
    expect([code, stderr]).toEqual([1, ''])
    return { values: call.values, positionals: call.positionals, json: call.json }
  }
  expect(code).toBe(2)
  const [line, see, ...rest] = stderr.split('\n')
  expect([see, rest]).toEqual(['See webhook-inbox copy --help.', ['']])
  return line?.replace('webhook-inbox: ', '')
}

const none = {
  to: undefined,
  mode: 'safe',
  skip: [],
  force: false,
  help: false,
  json: false,
  'no-color': false,
}

describe('a command line', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['--to', 'a'], { to: 'a' }],
    [['--to=a'], { to: 'a' }],
    [['-t', 'a'], { to: 'a' }],
    [['-ta'], { to: 'a' }],
    [['--to=-a'], { to: '-a' }],
    [['--to', '-'], { to: '-' }],
    [['--to', ''], { to: '' }],
    [['--mode', 'fast'], { mode: 'fast' }],
    [['--skip', 'a', '-s', 'b', '--skip=a'], { skip: ['a', 'b', 'a'] }],
    [['--force'], { force: true }],
    [['-f', '-f'], { force: true }],
    [['--json', '--no-color'], { json: true, 'no-color': true }],
  ])('%j', async (args, values) => {
    expect(await parsed(args)).toEqual({
      values: { ...none, ...values },
      positionals: [],
      json: args.includes('--json'),
    })
  })

  it('has arguments among its options, and after -- anything', async () => {
    expect(await parsed(['a', '-f', 'b', '--', '--to'], { min: 0, max: 3 })).toEqual({
      values: { ...none, force: true },
      positionals: ['a', 'b', '--to'],
      json: false,
    })
    expect(await parsed(['-'], { min: 1, max: 1 })).toMatchObject({ positionals: ['-'] })
  })

  it.each([
    [['--too', 'a'], 'unknown option --too; did you mean --to?'],
    [['--unlike'], 'unknown option --unlike'],
    [['-x'], 'unknown option -x'],
    [['-o'], 'unknown option -o'],
    [['--constructor'], 'unknown option --constructor'],
    [['--hlep'], 'unknown option --hlep; did you mean --help?'],
    [['--force=yes'], '--force takes no value'],
    [['--force='], '--force takes no value'],
    [['--to'], '--to needs a value: --to FOLDER'],
    [['-t'], '-t needs a value: -t FOLDER'],
    [['--to', '--force'], '--to needs a value: --to FOLDER'],
    [['--to', '-f'], '--to needs a value: --to FOLDER'],
    [['--mode', 'slow'], '--mode must be one of fast, safe'],
    [['--mode='], '--mode must be one of fast, safe'],
    [['--to', 'a', '-t', 'b'], '-t is given twice'],
    [['--mode', 'fast', '--mode', 'fast'], '--mode is given twice'],
    [['a'], 'this command takes no arguments'],
  ])('%j is rejected', async (args, message) => {
    expect(await parsed(args)).toBe(message)
  })

  it.each<[string[], NonNullable<Command['positionals']>, string | undefined]>([
    [[], { min: 1, max: 2 }, 'copy needs FILE: webhook-inbox copy FILE FOLDER'],
    [['a'], { min: 2, max: 2 }, 'copy needs FOLDER: webhook-inbox copy FILE FOLDER'],
    [['a'], { min: 1, max: 1 }, undefined],
    [['a', 'b'], { min: 1, max: 2 }, undefined],
    [['a', 'b'], { min: 1, max: 1 }, 'at most 1 argument expected, 2 given: webhook-inbox copy FILE FOLDER'],
    [
      ['a', 'b', 'c'],
      { min: 0, max: 2 },
      'at most 2 arguments expected, 3 given: webhook-inbox copy FILE FOLDER',
    ],
  ])('with the arguments %j where %j are taken', async (args, positionals, message) => {
    const found = await parsed(args, positionals)
    expect(typeof found === 'object' ? undefined : found).toBe(message)
  })
})
