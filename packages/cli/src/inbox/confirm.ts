import { createInterface } from 'node:readline'
import type { Options } from '../command.js'
import { InterruptedError, UsageError } from '../exit.js'
import type { Printer } from '../printer.js'
import type { World } from '../world.js'

export const confirmOptions = {
  yes: { type: 'boolean', short: 'y', help: 'Act without asking' },
  'dry-run': { type: 'boolean', help: 'Show what would be done, and do nothing' },
} as const satisfies Options

/**
 * Whether to make the changes that were shown. Asks in a terminal. Throws `UsageError` without a terminal and without `--yes`,
 * and `InterruptedError` at Ctrl-C.
 */
export async function confirm(
  question: string,
  values: { readonly yes: boolean; readonly 'dry-run': boolean },
  { print, world }: { readonly print: Printer; readonly world: World },
): Promise<boolean> {
  if (values['dry-run']) {
    return false
  }
  if (values.yes) {
    return true
  }
  if (!world.stdin.isTTY) {
    throw new UsageError('nothing was done: add --yes to act, or --dry-run to look only')
  }
  print.working(undefined)
  const isYes = /^y(es)?$/i.test((await ask(`${question} [y/N] `, world)).trim())
  if (!isYes) {
    print.note('Nothing was done.')
  }
  return isYes
}

/** The line that a person types; an empty one at the end of the input (Ctrl-D). */
function ask(question: string, { stdin, stderr }: World): Promise<string> {
  const prompt = createInterface({ input: stdin, output: stderr })
  return new Promise<string>((resolve, reject) => {
    prompt.once('SIGINT', () => {
      reject(new InterruptedError())
      prompt.close()
    })
    prompt.once('close', () => {
      // Ctrl-C and Ctrl-D do not begin a new line.
      stderr.write('\n')
      resolve('')
    })
    prompt.question(question, resolve)
  }).finally(() => {
    prompt.removeAllListeners('close')
    prompt.close()
  })
}
