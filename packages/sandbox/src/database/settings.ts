import type { Database } from './open.js'

/** Reads a setting; `undefined` if it was never written. */
export function readSetting(database: Database, name: string): string | undefined {
  const row = database.prepare('SELECT value FROM settings WHERE name = ?').get(name)
  return (row as { value: string } | undefined)?.value
}

export function writeSetting(database: Database, name: string, value: string): void {
  database
    .prepare(
      'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    )
    .run(name, value)
}
