import { defineCommand, isGroup, type Options } from './command.js'
import { scripts } from './completion/scripts.js'
import { exit, UsageError } from './exit.js'

const shells = ['bash', 'zsh', 'fish'] as const

export const completion = defineCommand({
  usage: 'bash|zsh|fish',
  about:
    'Prints a script that completes commands and options. It is complete in itself: pressing Tab starts no program.',
  positionals: { min: 1, max: 1 },
  options: {},
  examples: [
    ['bash >> ~/.bashrc', 'Completes in every new bash.'],
    [
      'zsh > ~/.zfunc/_webhook-inbox',
      'Completes in every new zsh that has ~/.zfunc in fpath and runs compinit.',
    ],
    ['fish > ~/.config/fish/completions/webhook-inbox.fish', 'Completes in every new fish.'],
  ],

  async run({ positionals: [given], print }) {
    const shell = shells.find((name) => name === given)
    if (!shell) {
      throw new UsageError(`the shell must be one of ${shells.join(', ')}`)
    }
    print.line(scripts[shell](await allWords()))
    return exit.good
  },
})

/** A command as the shell sees it. */
export interface Words {
  /** `['inbox', 'list']`; of a group the group alone. */
  readonly path: readonly string[]
  readonly summary: string
  /** The names that may follow, of a group. */
  readonly commands: readonly string[]
  readonly options: Options
}

async function allWords(): Promise<Words[]> {
  const [{ commands: table }, { common }] = await Promise.all([
    import('./commands.js'),
    import('./parse-options.js'),
  ])
  const words: Words[] = []
  for (const [name, entry] of Object.entries(table)) {
    const inner = isGroup(entry) ? Object.entries(entry.commands) : []
    const own = isGroup(entry) ? {} : (await entry.load()).options
    words.push({
      path: [name],
      summary: entry.summary,
      commands: inner.map(([command]) => command),
      options: { ...own, ...common },
    })
    for (const [command, { summary, load }] of inner) {
      const { options } = await load()
      words.push({ path: [name, command], summary, commands: [], options: { ...options, ...common } })
    }
  }
  return words
}
