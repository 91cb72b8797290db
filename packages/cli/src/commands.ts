import type { Table } from './command.js'
import { inbox } from './inbox.js'
import { sandbox } from './sandbox.js'

/**
 * Every command. A module is loaded only when its command runs, so that `--help` starts as fast as Node does. For the same
 * reason a command imports the toolkit only when it runs: its help does not need it.
 */
export const commands: Table = {
  sign: {
    summary: 'Print the signature headers for a file',
    load: async () => (await import('./sign.js')).sign,
  },
  verify: {
    summary: 'Check a signature, and explain why it does not match',
    load: async () => (await import('./verify.js')).verify,
  },
  send: {
    summary: 'Sign and send an event, and check the response',
    load: async () => (await import('./send.js')).send,
  },
  check: {
    summary: 'Test whether an endpoint follows the interface, case by case',
    load: async () => (await import('./check.js')).check,
  },
  sandbox,
  inbox,
  console: {
    summary: 'Show the inbox of a program on a page',
    load: async () => (await import('./console.js')).console,
  },
  completion: {
    summary: 'Print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion.js')).completion(commands),
  },
}
