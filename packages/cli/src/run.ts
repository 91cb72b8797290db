import { type Command, type Entry, type Group, isGroup, type Table } from './command.js'
import {
  type ExitCode,
  exit,
  InterruptedError,
  NothingDoneError,
  UnreachableError,
  UsageError,
} from './exit.js'
import { createPrinter, type Printer } from './printer.js'
import type { World } from './world.js'

/** Runs one command line, without the name of the program. Never throws; the errors of a user are one line each. */
export async function run(args: readonly string[], world: World, table: Table): Promise<ExitCode> {
  const print = createPrinter(world, { color: !args.includes('--no-color') })
  try {
    return await dispatch(args, world, table, print)
  } catch (error) {
    return explain(error, print)
  } finally {
    print.working(undefined)
  }
}

async function dispatch(
  args: readonly string[],
  world: World,
  table: Table,
  print: Printer,
): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === '--version' || name === '-V') {
    print.line((await import('./version.js')).version)
    return exit.good
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    return help(rest, table, print, name !== undefined)
  }
  const entry = await find(name, table)
  if (!isGroup(entry)) {
    return runCommand(name, entry, rest, world, print)
  }

  const { group, command, args: left } = await findInGroup(name, entry, rest)
  if (command === undefined) {
    const { printGroupHelp } = await import('./help.js')
    printGroupHelp(name, group, print)
    return rest.length === 0 ? exit.usage : exit.good
  }
  return runCommand(`${name} ${command}`, group.commands[command] as Entry, left, world, print)
}

/** `help`, `help sign`, `help inbox list`. */
async function help(
  names: readonly string[],
  table: Table,
  print: Printer,
  isAsked: boolean,
): Promise<ExitCode> {
  const { printCommandHelp, printGroupHelp, printHelp } = await import('./help.js')
  const [name, second] = names.filter((each) => !each.startsWith('-'))
  if (name === undefined) {
    printHelp(table, print)
    return isAsked ? exit.good : exit.usage
  }
  const entry = await find(name, table)
  if (!isGroup(entry)) {
    printCommandHelp(name, await entry.load(), print)
  } else if (second === undefined) {
    printGroupHelp(name, entry, print)
  } else {
    const command = await (await find(second, entry.commands, name)).load()
    printCommandHelp(`${name} ${second}`, command, print)
  }
  return exit.good
}

async function runCommand(
  name: string,
  entry: Entry,
  args: readonly string[],
  world: World,
  print: Printer,
): Promise<ExitCode> {
  const [command, { parseOptions }] = await Promise.all([entry.load(), import('./parse-options.js')])
  try {
    const { values, positionals } = parseOptions(args, command, name)
    if (values.help) {
      const { printCommandHelp } = await import('./help.js')
      printCommandHelp(name, command, print)
      return exit.good
    }
    return await command.run({ values, positionals, json: values.json, print, world } as Parameters<
      Command['run']
    >[0])
  } catch (error) {
    const usageError = isConfigurationError(error) ? new UsageError(error.message) : error
    if (usageError instanceof UsageError) {
      usageError.command ??= name
    }
    throw usageError
  }
}

async function find<T>(name: string, table: Readonly<Record<string, T>>, group = ''): Promise<T> {
  if (Object.hasOwn(table, name)) {
    return table[name] as T
  }
  const { didYouMean } = await import('./nearest.js')
  const { printable } = await import('./printable.js')
  const what = group ? `${group} has no command` : 'unknown command'
  const error = new UsageError(
    name.startsWith('-')
      ? `unknown option ${printable(name)}${name.startsWith('--') ? didYouMean(name, ['help', 'version'], '--') : ''}`
      : `${what} ${printable(name)}${groupOf(name, table) ?? didYouMean(name, Object.keys(table))}`,
  )
  if (group) {
    error.command = group
  }
  throw error
}

/** `; did you mean sandbox listen?`, if a group has a command with this name. */
function groupOf(name: string, table: Readonly<Record<string, unknown>>): string | undefined {
  const found = Object.entries(table as Table).flatMap(([group, entry]) =>
    isGroup(entry) && Object.hasOwn(entry.commands, name) ? [`${group} ${name}`] : [],
  )
  return found.length === 0 ? undefined : `; did you mean ${found.join(' or ')}?`
}

/** Which command of a group is meant: the named one, or its fallback if the first argument is an option. */
async function findInGroup(name: string, group: Group, args: readonly string[]) {
  const [first, ...rest] = args
  if (first !== undefined && !first.startsWith('-')) {
    await find(first, group.commands, name)
    return { group, command: first, args: rest }
  }
  const wantsHelp = first === '--help' || first === '-h'
  return { group, command: wantsHelp ? undefined : group.fallback, args }
}

function explain(error: unknown, print: Printer): ExitCode {
  if (error instanceof InterruptedError) {
    print.note('Nothing was done.')
    return error.exitCode
  }
  if (error instanceof UsageError || error instanceof UnreachableError || error instanceof NothingDoneError) {
    print.note(`webhook-inbox: ${error.message}`)
    if (error instanceof UsageError) {
      printLines(error.stackOfCause ?? '', print)
      print.note(`See webhook-inbox ${error.command ? `${error.command} ` : ''}--help.`)
    }
    return error.exitCode
  }
  const stack = error instanceof Error ? error.stack : error
  printLines(`webhook-inbox: this is a fault of the program: ${stack}`, print)
  return exit.internal
}

/** A stack has many lines, and a note is one line. */
function printLines(text: string, print: Printer): void {
  for (const line of text.split('\n').filter(Boolean)) {
    print.note(line)
  }
}

/**
 * Every option of the toolkit that a command sets comes from the user, and the message says what is wrong with it. Compared by
 * name, because the program that `inbox` loads has its own copy of the toolkit.
 */
const isConfigurationError = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ConfigurationError'
