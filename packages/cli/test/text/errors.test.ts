import { describe, expect, it } from 'vitest'
import { type Command, defineCommand, type Table } from '../../src/command.js'
import { InterruptedError, NothingDoneError, UnreachableError, UsageError } from '../../src/exit.js'
import { webhookInbox } from '../in-process.js'

/** The end of a command that throws this. */
async function end(error: unknown, isLoading = false) {
  const command: Command = defineCommand({
    about: 'Fails.',
    options: {},
    examples: [],
    run: () => Promise.reject(error),
  })
  const load = () => (isLoading ? Promise.reject(error) : Promise.resolve(command))
  const table: Table = {
    fail: { summary: 'Fail', load },
    group: { summary: 'Group', commands: { fail: { summary: 'Fail', load } } },
  }
  const { code, stdout, stderr } = await webhookInbox(['group', 'fail'], { table })
  expect(stdout).toBe('')
  expect((await webhookInbox(['fail'], { table })).code).toBe(code)
  return { code, lines: stderr.split('\n').slice(0, -1) }
}

const configuration = Object.assign(new Error('invalid_option: limit must be a number'), {
  name: 'ConfigurationError',
})

describe('a command that fails', () => {
  it.each<[string, unknown, number, string[]]>([
    [
      'because of its command line',
      new UsageError('name a file'),
      2,
      ['webhook-inbox: name a file', 'See webhook-inbox group fail --help.'],
    ],
    [
      'because of its command line, which another command explains',
      Object.assign(new UsageError('name a file'), { command: 'other' }),
      2,
      ['webhook-inbox: name a file', 'See webhook-inbox other --help.'],
    ],
    [
      'because of the module of the user',
      Object.assign(new UsageError('it cannot be loaded'), { stackOfCause: 'Error: no\n\n    at a.ts:1' }),
      2,
      [
        'webhook-inbox: it cannot be loaded',
        'Error: no',
        '    at a.ts:1',
        'See webhook-inbox group fail --help.',
      ],
    ],
    [
      'because of an option of the toolkit',
      configuration,
      2,
      ['webhook-inbox: invalid_option: limit must be a number', 'See webhook-inbox group fail --help.'],
    ],
    ['because it was too late', new NothingDoneError('it is done'), 1, ['webhook-inbox: it is done']],
    ['because nothing answers', new UnreachableError('no answer'), 3, ['webhook-inbox: no answer']],
    ['because of Ctrl-C', new InterruptedError(), 130, ['Nothing was done.']],
    ['with a text', 'a\nb', 70, ['webhook-inbox: this is a fault of the program: a', 'b']],
  ])('%s', async (_, error, code, lines) => {
    expect(await end(error)).toEqual({ code, lines })
  })

  it('because of a bug shows the whole stack', async () => {
    const { code, lines } = await end(new TypeError('x is not a function'))
    const [first, second] = lines
    expect([code, first]).toEqual([
      70,
      'webhook-inbox: this is a fault of the program: TypeError: x is not a function',
    ])
    expect(second).toMatch(/^ {4}at /)
    expect(lines).not.toContain('')
  })

  it('because it cannot be loaded', async () => {
    expect(await end(new UnreachableError('no disk'), true)).toEqual({
      code: 3,
      lines: ['webhook-inbox: no disk'],
    })
    expect((await end(new UsageError('no module'), true)).lines).toEqual([
      'webhook-inbox: no module',
      'See webhook-inbox --help.',
    ])
  })
})

describe('a command', () => {
  it('that ends without a word takes its status line away', async () => {
    const command: Command = defineCommand({
      about: 'Waits.',
      options: {},
      examples: [],
      async run({ print }) {
        print.working('waiting for the store')
        await new Promise((resolve) => setTimeout(resolve, 1400))
        return 0
      },
    })
    const table: Table = { wait: { summary: 'Wait', load: async () => command } }
    const { stderr } = await webhookInbox(['wait'], { table, columns: 80 })
    const clear = '\r\u001b[2K'
    const drawn = `${clear}waiting for the store (1 s)`
    expect(stderr.startsWith(drawn)).toBe(true)
    expect(stderr.replaceAll(drawn, '')).toBe(clear)
  })
})
