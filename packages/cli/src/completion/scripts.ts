import type { Words } from './words.js'

const program = 'webhook-inbox'

/** One script for each shell. It contains every name, so that completion starts no program. */
export const scripts: Readonly<Record<'bash' | 'zsh' | 'fish', (words: readonly Words[]) => string>> = {
  bash: (words) => `# Completion of ${program} for bash.
_webhook_inbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="\${COMP_WORDS[1]}" choices=""
  if [ "$COMP_CWORD" -le 1 ]; then
    choices="${topLevel(words).join(' ')} --help --version"
  else
    case "$path \${COMP_WORDS[2]}" in
${bashCases(words)}
    esac
  fi
  if [[ "$current" == -* || "$COMP_CWORD" -le 1 || ( -n "$choices" && "$choices" != -* ) ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
  fi
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _webhook_inbox ${program}`,

  zsh: (words) => `#compdef ${program}
# Completion of ${program} for zsh.
_webhook_inbox() {
  if (( CURRENT == 2 )); then
    local -a names=(${words
      .filter(({ path }) => path.length === 1)
      .map(({ path, summary }) => quote(`${path[0]}:${summary}`))
      .join(' ')})
    _describe command names
    return
  fi
  case "$words[2] $words[3]" in
${zshCases(words)}
  esac
}
if [ "$funcstack[1]" = _webhook_inbox ]; then _webhook_inbox "$@"; else compdef _webhook_inbox ${program}; fi`,

  fish: (words) =>
    [
      `# Completion of ${program} for fish.`,
      ...words.map(({ path, summary }) =>
        fishLine(before(path), `-f -a ${path.at(-1)} -d ${quote(summary)}`),
      ),
      ...words.flatMap(({ path, options }) =>
        Object.entries(options).map(([name, option]) =>
          fishLine(
            `__fish_seen_subcommand_from ${path.join('; and __fish_seen_subcommand_from ')}`,
            `-l ${name}${option.short ? ` -s ${option.short}` : ''}${option.type === 'string' ? ' -r' : ''} -d ${quote(option.help)}`,
          ),
        ),
      ),
    ].join('\n'),
}

const topLevel = (words: readonly Words[]) =>
  words.filter(({ path }) => path.length === 1).map(({ path }) => path[0] as string)

/** A command of a group is tried before the group itself. */
const innerFirst = (words: readonly Words[]) => [...words].sort((a, b) => b.path.length - a.path.length)

const pattern = ({ path }: Words) => (path.length === 1 ? `"${path[0]} "*` : `"${path.join(' ')}"`)

const optionNames = ({ options }: Words) => Object.keys(options).map((name) => `--${name}`)

const bashCases = (words: readonly Words[]) =>
  innerFirst(words)
    .map(
      (each) => `      ${pattern(each)}) choices="${[...each.commands, ...optionNames(each)].join(' ')}" ;;`,
    )
    .join('\n')

const zshCases = (words: readonly Words[]) =>
  innerFirst(words)
    .map((each) => {
      const specs = Object.entries(each.options).map(([name, option]) => {
        const help = option.help.replaceAll(/[[\]:]/g, ' ')
        return quote(
          option.type === 'boolean' ? `--${name}[${help}]` : `--${name}=[${help}]:${option.value}:_files`,
        )
      })
      const rest = each.commands.length
        ? quote(`*:command:(${each.commands.join(' ')})`)
        : quote('*:file:_files')
      return `    ${pattern(each)}) _arguments ${[...specs, rest].join(' ')} ;;`
    })
    .join('\n')

function before(path: readonly string[]): string {
  return path.length === 1 ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path[0]}`
}

const fishLine = (condition: string, rest: string) => `complete -c ${program} -n ${quote(condition)} ${rest}`

/** Single quotes work in every shell here. The texts use typographic apostrophes, so nothing needs escaping. */
const quote = (text: string) => `'${text.replaceAll("'", '’')}'`
