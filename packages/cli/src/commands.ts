import type { Table } from './command.js'

/** Every command. A module is loaded only when its command runs, so that `--help` starts as fast as Node does. */
export const commands: Table = {
  sign: {
    summary: 'Print the signature headers for a file',
    load: async () => (await import('./sign.js')).sign,
  },
  completion: {
    summary: 'Print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion.js')).completion,
  },
}
