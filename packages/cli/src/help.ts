import { type Command, type Entry, type Group, isGroup, type Options, type Table } from './command.js'
import { common } from './parse-options.js'
import type { Printer } from './printer.js'
import { definitions, wrap } from './wrap.js'

const program = 'webhook-inbox'

/** The widest line of help; longer ones are hard to read. */
const maxWidth = 100

export function printHelp(table: Table, print: Printer): void {
  const width = Math.min(print.width, maxWidth)
  print.line(`${print.style('bold', program)} <command> [options]`)
  print.line()
  print.line('Signs, verifies and sends webhooks, and operates the inbox.')
  heading('Commands', print)
  for (const line of definitions(summaries(table), width)) {
    print.line(line)
  }
  heading('Options', print)
  for (const line of definitions(optionLines({ ...common, ...version }), width)) {
    print.line(line)
  }
  print.line()
  print.line(`${program} <command> --help explains one command.`)
}

export function printGroupHelp(name: string, group: Group, print: Printer): void {
  const width = Math.min(print.width, maxWidth)
  print.line(`${print.style('bold', `${program} ${name}`)} <command> [options]`)
  print.line()
  print.line(`${group.summary}.`)
  heading('Commands', print)
  for (const line of definitions(summaries(group.commands), width)) {
    print.line(line)
  }
  print.line()
  if (group.fallback) {
    print.line(`Without a command: ${program} ${name} ${group.fallback}.`)
  }
  print.line(`${program} ${name} <command> --help explains one command.`)
}

export function printCommandHelp(name: string, command: Command, print: Printer): void {
  const width = Math.min(print.width, maxWidth)
  print.line(
    `${print.style('bold', `${program} ${name}`)}${command.usage ? ` ${command.usage}` : ''} [options]`,
  )
  print.line()
  for (const line of wrap(command.about, width)) {
    print.line(line)
  }
  heading('Options', print)
  for (const line of definitions(optionLines({ ...command.options, ...common }), width)) {
    print.line(line)
  }
  heading('Examples', print)
  for (const [args, does] of command.examples) {
    print.line(`  ${program} ${name}${args && ` ${args}`}`)
    for (const line of wrap(does, width - 6)) {
      print.line(`      ${print.style('dim', line)}`)
    }
  }
}

const version = {
  version: { type: 'boolean', short: 'V', help: 'Print the version' },
} as const satisfies Options

function heading(text: string, print: Printer): void {
  print.line()
  print.line(print.style('bold', text))
}

function summaries(table: Readonly<Record<string, Entry | Group>>): [string, string][] {
  return Object.entries(table).map(([name, entry]) => [isGroup(entry) ? `${name} ...` : name, entry.summary])
}

function optionLines(options: Options): [string, string][] {
  return Object.entries(options).map(([name, option]) => {
    const short = option.short ? `-${option.short}, ` : ''
    if (option.type === 'boolean') {
      return [`${short}--${name}`, option.help]
    }
    const notes = [
      option.choices && `one of ${option.choices.join(', ')}`,
      option.default !== undefined && `default ${option.default}`,
      option.multiple && 'may be repeated',
    ].filter(Boolean)
    return [`${short}--${name} ${option.value}`, option.help + (notes.length ? ` (${notes.join('; ')})` : '')]
  })
}
