import type { SandboxOptions } from './options.js'
import type { ReadFile } from './read-text.js'
import { type FlagOf, type OptionName, optionNames, optionTable } from './table.js'

/** A flag of the sandbox, for a parser and a help text. */
export type SandboxFlag =
  | { readonly type: 'boolean'; readonly help: string }
  | {
      readonly type: 'string'
      /** The placeholder of the value in a help text, such as `FILE`. */
      readonly value: string
      /** With the default at its end, if there is one. */
      readonly help: string
      /** May be given more than once. */
      readonly multiple?: true
      /** The only texts that are accepted. */
      readonly choices?: readonly string[]
    }

/** The value in a command line: a text, several texts, or true for a flag without a value. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

const flagOf = (option: OptionName): FlagOf => optionTable[option].flag

/** Every flag of the sandbox, by its name without hyphens, such as `settle-after`. */
export const sandboxFlags: Readonly<Record<string, SandboxFlag>> = Object.fromEntries(
  optionNames.map((option) => [flagName(option), describe(flagOf(option))]),
)

/** The flag of an option, without hyphens: `settle-after` for `settleAfterSeconds`. */
export function flagName(option: string): string {
  const named = Object.hasOwn(optionTable, option) ? flagOf(option as OptionName).name : undefined
  return named ?? option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The options of a command line. Throws `OptionError` if a text cannot be read. */
export function optionsOf(values: FlagValues, readFile: ReadFile): SandboxOptions {
  const given = optionNames.flatMap((option) => {
    const value = values[flagName(option)]
    return value === undefined ? [] : [[option, readingOf(flagOf(option), value, readFile)]]
  })
  return Object.fromEntries(given) as SandboxOptions
}

function readingOf({ read }: FlagOf, value: unknown, readFile: ReadFile): unknown {
  return typeof value === 'string' && read ? read(value, readFile) : value
}

function describe({ value, help, shown, choices, multiple }: FlagOf): SandboxFlag {
  if (value === undefined) {
    return { type: 'boolean', help }
  }
  const about = shown === undefined ? help : `${help}. Default: ${shown}`
  return { type: 'string', value, help: about, ...(choices && { choices }), ...(multiple && { multiple }) }
}
