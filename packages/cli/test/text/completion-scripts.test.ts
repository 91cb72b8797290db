// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of a shell
import { expect, it } from 'vitest'
import { type Command, defineCommand, type Table } from '../../src/command.js'
import { commands } from '../../src/commands.js'
import { scripts } from '../../src/completion/scripts.js'
import { type Words, wordsOf } from '../../src/completion/words.js'
import { webhookInbox } from '../in-process.js'

const command = (options: Command['options']): Command =>
  defineCommand({ about: 'Does it.', options, examples: [], run: async () => 0 })

const table: Table = {
  copy: {
    summary: 'Copy the user’s files',
    load: async () =>
      command({ to: { type: 'string', short: 't', value: 'FOLDER', help: "Where [to]: 'here'" } }),
  },
  tree: {
    summary: 'Work on folders',
    commands: {
      list: { summary: 'List them', load: async () => command({}) },
      prune: {
        summary: 'Remove them',
        load: async () => command({ force: { type: 'boolean', help: 'Do' } }),
      },
    },
  },
}
const common = { json: { type: 'boolean', short: 'j', help: 'Print JSON' } } as const

it('the words of a table are its commands with their options', async () => {
  const { to } = (await (table.copy as { load(): Promise<Command> }).load()).options
  expect(await wordsOf(table, common)).toEqual<Words[]>([
    { path: ['copy'], summary: 'Copy the user’s files', commands: [], options: { to, ...common } as never },
    { path: ['tree'], summary: 'Work on folders', commands: ['list', 'prune'], options: common },
    { path: ['tree', 'list'], summary: 'List them', commands: [], options: common },
    {
      path: ['tree', 'prune'],
      summary: 'Remove them',
      commands: [],
      options: { force: { type: 'boolean', help: 'Do' }, ...common },
    },
  ])
})

it('the script for bash', async () => {
  expect(scripts.bash(await wordsOf(table, common)).split('\n')).toEqual([
    '# Completion of webhook-inbox for bash.',
    '_webhook_inbox() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" path="${COMP_WORDS[1]}" choices=""',
    '  if [ "$COMP_CWORD" -le 1 ]; then',
    '    choices="copy tree --help --version"',
    '  else',
    '    case "$path ${COMP_WORDS[2]}" in',
    '      "tree list") choices="--json" ;;',
    '      "tree prune") choices="--force --json" ;;',
    '      "copy "*) choices="--to --json" ;;',
    '      "tree "*) choices="list prune --json" ;;',
    '    esac',
    '  fi',
    '  if [[ "$current" == -* || "$COMP_CWORD" -le 1 || ( -n "$choices" && "$choices" != -* ) ]]; then',
    '    COMPREPLY=($(compgen -W "$choices" -- "$current"))',
    '  fi',
    '  [ "${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))',
    '}',
    'complete -o filenames -F _webhook_inbox webhook-inbox',
  ])
})

it('the script for zsh', async () => {
  expect(scripts.zsh(await wordsOf(table, common)).split('\n')).toEqual([
    '#compdef webhook-inbox',
    '# Completion of webhook-inbox for zsh.',
    '_webhook_inbox() {',
    '  if (( CURRENT == 2 )); then',
    "    local -a names=('copy:Copy the user’s files' 'tree:Work on folders')",
    '    _describe command names',
    '    return',
    '  fi',
    '  case "$words[2] $words[3]" in',
    `    "tree list") _arguments '--json[Print JSON]' '*:file:_files' ;;`,
    `    "tree prune") _arguments '--force[Do]' '--json[Print JSON]' '*:file:_files' ;;`,
    `    "copy "*) _arguments '--to=[Where  to   ’here’]:FOLDER:_files' '--json[Print JSON]' '*:file:_files' ;;`,
    `    "tree "*) _arguments '--json[Print JSON]' '*:command:(list prune)' ;;`,
    '  esac',
    '}',
    'if [ "$funcstack[1]" = _webhook_inbox ]; then _webhook_inbox "$@"; else compdef _webhook_inbox webhook-inbox; fi',
  ])
})

it('the script for fish', async () => {
  const at = (...names: string[]) =>
    `complete -c webhook-inbox -n '__fish_seen_subcommand_from ${names.join('; and __fish_seen_subcommand_from ')}'`
  expect(scripts.fish(await wordsOf(table, common)).split('\n')).toEqual([
    '# Completion of webhook-inbox for fish.',
    "complete -c webhook-inbox -n '__fish_use_subcommand' -f -a copy -d 'Copy the user’s files'",
    "complete -c webhook-inbox -n '__fish_use_subcommand' -f -a tree -d 'Work on folders'",
    `${at('tree')} -f -a list -d 'List them'`,
    `${at('tree')} -f -a prune -d 'Remove them'`,
    `${at('copy')} -l to -s t -r -d 'Where [to]: ’here’'`,
    `${at('copy')} -l json -s j -d 'Print JSON'`,
    `${at('tree')} -l json -s j -d 'Print JSON'`,
    `${at('tree', 'list')} -l json -s j -d 'Print JSON'`,
    `${at('tree', 'prune')} -l force -d 'Do'`,
    `${at('tree', 'prune')} -l json -s j -d 'Print JSON'`,
  ])
})

it('the command prints the script of a shell, and knows no other', async () => {
  const { common: options } = await import('../../src/parse-options.js')
  const words = await wordsOf(commands, options)
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const { code, stdout } = await webhookInbox(['completion', shell])
    expect([code, stdout]).toEqual([0, `${scripts[shell](words)}\n`])
  }
  expect(await webhookInbox(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    stderr: 'webhook-inbox: the shell must be one of bash, zsh, fish\nSee webhook-inbox completion --help.\n',
  })
})
