import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SqliteDatabase } from '../../src/stores/sqlite.js'

type Driver = new (path: string) => SqliteDatabase

const load = createRequire(import.meta.url)
const builtIn = process.getBuiltinModule('node:sqlite') as { DatabaseSync: Driver } | undefined

/** The drivers that this Node has: libsql, and from 22.5 on its own. */
export const drivers: readonly (readonly [name: string, open: (path: string) => SqliteDatabase])[] = [
  ['libsql', (path) => new (load('libsql') as Driver)(path)],
  ...(builtIn ? [['node:sqlite', (path: string) => new builtIn.DatabaseSync(path)] as const] : []),
]

const made: string[] = []

/** The path of a database that does not exist yet, in a directory of its own. */
export function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'webhook-inbox-sqlite-'))
  made.push(directory)
  return join(directory, 'inbox.db')
}

export function removeFiles(): void {
  for (const directory of made.splice(0)) {
    rmSync(directory, { recursive: true, force: true })
  }
}
