import type { Database } from './open.js'
import { readSetting, writeSetting } from './settings.js'

/** Settings about the sandbox itself. They outlive a reset. */
const kept = ['clock', 'starts']

/** Empties every table, in one transaction. */
export function wipe(database: Database): void {
  database.transaction(() => {
    const settings = kept.map((name) => [name, readSetting(database, name)] as const)
    // The order of the tables does not matter then.
    database.exec('PRAGMA defer_foreign_keys = ON')
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as {
      name: string
    }[]
    for (const { name } of tables) {
      database.exec(`DELETE FROM ${name}`)
    }
    for (const [name, value] of settings) {
      if (value !== undefined) {
        writeSetting(database, name, value)
      }
    }
  })()
}
