import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { OptionError } from '../options/option-error.js'
import type { Options } from '../options/options.js'
import { resolveOptions } from '../options/resolve.js'
import { flagName, optionsOf, type SandboxFlag, sandboxFlags } from '../options/sandbox-flags.js'

/** An invalid command line. The message is one line that says what to do. */
export class UsageError extends Error {}

export interface Flags {
  readonly options: Options
  /** One JSON object per line on stdout. */
  readonly isJson: boolean
  /** Opens the inspector in a browser. */
  readonly isOpen: boolean
  readonly isHelp: boolean
}

/** The options of the program, in addition to those of the sandbox. */
const programFlags = {
  json: { type: 'boolean', help: 'One JSON object a line on stdout' },
  open: { type: 'boolean', help: 'Open the inspector in a browser' },
  help: { type: 'boolean', short: 'h', help: 'Show this' },
} as const

const flags: Readonly<Record<string, SandboxFlag>> = { ...sandboxFlags, ...programFlags }

const headOf = (name: string, flag: SandboxFlag) =>
  `--${name}${flag.type === 'string' ? ` ${flag.value}` : ''}`

function helpOf(flag: SandboxFlag): string {
  if (flag.type === 'boolean') {
    return flag.help
  }
  const choices = flag.choices ? ` (one of ${flag.choices.join(', ')})` : ''
  return `${flag.help}${choices}${flag.multiple ? ' (may be repeated)' : ''}`
}

const width = Math.max(...Object.entries(flags).map(([name, flag]) => headOf(name, flag).length))

export const help = `Starts the payments platform on your own machine.

${Object.entries(flags)
  .map(([name, flag]) => `  ${headOf(name, flag).padEnd(width)}  ${helpOf(flag)}`)
  .join('\n')}
`

/** Throws `UsageError`, and `OptionError` for a value that an option does not take. */
export function readFlags(args: readonly string[]): Flags {
  const values = parsed(args)
  const { json = false, open = false, help: isHelp = false } = values
  const options = resolveOptions(optionsOf(values, (path) => readFileSync(path, 'utf8')))
  return { options, isJson: json === true, isOpen: open === true, isHelp: isHelp === true }
}

/** The same message with the flags of the command line. */
export const usageOf = ({ option, message }: OptionError): UsageError =>
  new UsageError(`--${flagName(option)} ${message.slice(option.length + 1)}`)

function parsed(args: readonly string[]) {
  const values = parse(args)
  for (const [name, flag] of Object.entries(flags)) {
    const value = values[name]
    if (
      flag.type === 'string' &&
      flag.choices &&
      value !== undefined &&
      !flag.choices.includes(String(value))
    ) {
      throw new UsageError(`--${name} must be one of ${flag.choices.join(', ')}`)
    }
  }
  return values
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags }).values
  } catch (error) {
    const [fact] = (error as Error).message.split('. ')
    throw new UsageError(`${fact}. Run with --help for the list of flags.`)
  }
}
