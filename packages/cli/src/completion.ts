import { defineCommand, type Table } from './command.js'
import { scripts } from './completion/scripts.js'
import { wordsOf } from './completion/words.js'
import { exit, UsageError } from './exit.js'

const shells = ['bash', 'zsh', 'fish'] as const

/** `commands` are those that the script completes. */
export const completion = (commands: Table) =>
  defineCommand({
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
      const { common } = await import('./parse-options.js')
      print.line(scripts[shell](await wordsOf(commands, common)))
      return exit.good
    },
  })
