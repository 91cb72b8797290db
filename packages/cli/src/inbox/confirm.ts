import { createInterface } from 'node:readline/promises'
import type { Options } from '../command.js'
import { UsageError } from '../exit.js'
import type { World } from '../world.js'

export const confirmOptions = {
  yes: { type: 'boolean', short: 'y', help: 'Act without asking' },
  'dry-run': { type: 'boolean', help: 'Show what would be done, and do nothing' },
} as const satisfies Options

/**
 * Whether to act on what was shown. Asks where a person can answer. Throws `UsageError` where none can and `--yes` is
 * missing.
 */
export async function confirm(
  question: string,
  values: { readonly yes: boolean; readonly 'dry-run': boolean },
  { stdin, stderr }: World,
): Promise<boolean> {
  if (values['dry-run']) {
    return false
  }
  if (values.yes) {
    return true
  }
  if (!stdin.isTTY) {
    throw new UsageError('nothing was done: add --yes to act, or --dry-run to look only')
  }
  const prompt = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim())
  } finally {
    prompt.close()
  }
}
