import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { builtProgram } from '../built.js'

/** `script` of util-linux runs a command on a pseudo terminal. That of BSD and macOS takes other arguments. */
export const hasTerminal = /util-linux/.test(spawnSync('script', ['--version']).stdout?.toString() ?? '')

/** Runs `inbox ...`, types keys once the question is on the screen, and gives back the screen and the exit status. */
export async function typed(
  module: string,
  args: readonly string[],
  keys: string,
  asked: () => Promise<unknown> = async () => {},
): Promise<{ readonly code: number; readonly screen: string }> {
  const words = [process.execPath, await builtProgram(), 'inbox', ...args]
  const command = [...words, '--reason', 'r', '--receiver', module].map((word) => `'${word}'`).join(' ')
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'])
  const exit = once(terminal, 'exit')
  let screen = ''
  let left = keys
  for await (const piece of terminal.stdout) {
    screen += piece
    if (left !== '' && screen.includes('[y/N] ')) {
      left = ''
      await asked()
      terminal.stdin.write(keys)
    }
  }
  const [code] = await exit
  return { code, screen }
}
