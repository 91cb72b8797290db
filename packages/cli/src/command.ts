import type { ExitCode } from './exit.js'
import type { Printer } from './printer.js'
import type { World } from './world.js'

/** An option that is given or not. */
export interface Flag {
  readonly type: 'boolean'
  readonly short?: string
  readonly help: string
}

/** An option with a value. */
export interface Text {
  readonly type: 'string'
  readonly short?: string
  /** The placeholder of the value in the help, such as `FILE`. */
  readonly value: string
  readonly help: string
  /** May be given more than once. */
  readonly multiple?: true
  /** The only values that are accepted. */
  readonly choices?: readonly string[]
  /** Taken if the option is absent; the help shows it. */
  readonly default?: string
}

export type Options = Readonly<Record<string, Flag | Text>>

type ValueOf<O> = O extends { type: 'boolean' }
  ? boolean
  : O extends { multiple: true }
    ? readonly string[]
    : O extends { default: string }
      ? string
      : string | undefined

export type Values<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> }

/** One run of a command. */
export interface Call<O extends Options = Options> {
  readonly values: Values<O>
  readonly positionals: readonly string[]
  /** `--json` was given: print one JSON document, or one a line. */
  readonly json: boolean
  readonly print: Printer
  readonly world: World
}

/** The help of a command, and its function. */
export interface Command<O extends Options = Options> {
  /** The arguments after the name, such as `FILE|-`. */
  readonly usage?: string
  /** One sentence or a few, without line breaks. */
  readonly about: string
  /** How many arguments it takes beside its options. Default none. */
  readonly positionals?: { readonly min: number; readonly max: number }
  readonly options: O
  /** The arguments after the name of the command, and its function. */
  readonly examples: readonly (readonly [args: string, does: string])[]
  run(call: Call<O>): Promise<ExitCode>
}

/** Gives `run` the types of its options. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command as unknown as Command
}

/** A command in the table. Its module is loaded only when the command runs or prints its help. */
export interface Entry {
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** A command with commands of its own, such as `inbox list`. */
export interface Group {
  readonly summary: string
  readonly commands: Readonly<Record<string, Entry>>
  /** The command that runs if none is named. */
  readonly fallback?: string
}

export type Table = Readonly<Record<string, Entry | Group>>

export const isGroup = (entry: Entry | Group): entry is Group => 'commands' in entry
