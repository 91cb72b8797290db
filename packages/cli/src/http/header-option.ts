import type { Options } from '../command.js'
import { UsageError } from '../exit.js'

export const headerOption = {
  header: {
    type: 'string',
    value: 'NAME:VALUE',
    multiple: true,
    help: 'A header to send with every delivery, such as the key of a gateway',
  },
} as const satisfies Options

/** The headers of `--header`. Throws `UsageError` for one without a name, and never repeats its value. */
export function readHeaders(given: readonly string[]): Record<string, string> {
  const entries = given.map((line) => {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) {
      throw new UsageError('--header must be a name, a colon and a value in ASCII')
    }
    return [name.toLowerCase(), value] as const
  })
  return Object.fromEntries(entries)
}
