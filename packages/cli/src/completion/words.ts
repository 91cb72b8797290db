import { isGroup, type Options, type Table } from '../command.js'

/** A command as the shell sees it. */
export interface Words {
  /** `['inbox', 'list']`; for a group only its name. */
  readonly path: readonly string[]
  readonly summary: string
  /** The names of the commands of a group. */
  readonly commands: readonly string[]
  readonly options: Options
}

/** Every command of a table, with the options that all commands share. */
export async function wordsOf(table: Table, common: Options): Promise<Words[]> {
  const words: Words[] = []
  for (const [name, entry] of Object.entries(table)) {
    const inner = isGroup(entry) ? Object.entries(entry.commands) : []
    const own = isGroup(entry) ? {} : (await entry.load()).options
    words.push({
      path: [name],
      summary: entry.summary,
      commands: inner.map(([command]) => command),
      options: { ...own, ...common },
    })
    for (const [command, { summary, load }] of inner) {
      const { options } = await load()
      words.push({ path: [name, command], summary, commands: [], options: { ...options, ...common } })
    }
  }
  return words
}
