import { parseArgs } from 'node:util'
import type { Command, Options, Values } from './command.js'
import { UsageError } from './exit.js'
import { didYouMean } from './nearest.js'
import { plural } from './plural.js'

/** Options of every command. */
export const common = {
  help: { type: 'boolean', short: 'h', help: 'Print this help' },
  json: { type: 'boolean', help: 'Print JSON' },
  'no-color': { type: 'boolean', help: 'Print without colors, as NO_COLOR=1 does' },
} as const satisfies Options

export interface Parsed {
  readonly values: Values<typeof common> &
    Readonly<Record<string, boolean | string | readonly string[] | undefined>>
  readonly positionals: readonly string[]
}

/** Reads the arguments of a command. Throws `UsageError`, which names the nearest option but never repeats a value. */
export function parseOptions(
  args: readonly string[],
  command: Pick<Command, 'options' | 'positionals' | 'usage'>,
  name: string,
): Parsed {
  const options: Options = { ...command.options, ...common }
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, short }]) => [name, { type, ...(short && { short }) }]),
    ),
    strict: false,
    tokens: true,
  })

  const values: Record<string, boolean | string | readonly string[] | undefined> = defaults(options)
  const given = new Set<string>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') {
      positionals.push(token.value)
    }
    if (token.kind !== 'option') {
      continue
    }
    const { name, rawName } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (!option) {
      throw new UsageError(`unknown option ${rawName}${suggestion(rawName, options)}`)
    }
    if (option.type === 'boolean') {
      if (token.value !== undefined) {
        throw new UsageError(`${rawName} takes no value`)
      }
      values[name] = true
      continue
    }
    const { value } = token
    if (value === undefined || (!token.inlineValue && value.length > 1 && value.startsWith('-'))) {
      throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value}`)
    }
    if (option.choices && !option.choices.includes(value)) {
      throw new UsageError(`${rawName} must be one of ${option.choices.join(', ')}`)
    }
    if (option.multiple) {
      values[name] = [...(values[name] as readonly string[]), value]
    } else if (given.has(name)) {
      throw new UsageError(`${rawName} is given twice`)
    } else {
      values[name] = value
    }
    given.add(name)
  }
  if (!values.help) {
    checkPositionals(positionals, command, name)
  }
  return { values: values as Parsed['values'], positionals }
}

function defaults(options: Options): Record<string, boolean | string | readonly string[] | undefined> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      if (option.type === 'boolean') {
        return [name, false]
      }
      return [name, option.multiple ? [] : option.default]
    }),
  )
}

function suggestion(rawName: string, options: Options): string {
  return rawName.startsWith('--') ? didYouMean(rawName, Object.keys(options), '--') : ''
}

function checkPositionals(
  given: readonly string[],
  { positionals, usage = '' }: Pick<Command, 'positionals' | 'usage'>,
  name: string,
): void {
  const { min, max } = positionals ?? { min: 0, max: 0 }
  const fix = `webhook-inbox ${name} ${usage}`
  if (given.length < min) {
    throw new UsageError(`${name} needs ${usage.split(' ')[given.length]}: ${fix}`)
  }
  if (given.length > max) {
    throw new UsageError(
      max === 0
        ? 'this command takes no arguments'
        : `at most ${plural(max, 'argument')} expected, ${given.length} given: ${fix}`,
    )
  }
}
