import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { SqliteDatabase } from 'webhook-inbox/stores/sqlite'

/** The file that keeps the inbox and the books between runs of the demo. */
export function lastingFile(isFresh: boolean): string {
  const folder = join(tmpdir(), `webhook-inbox-demo-${userInfo().username}`)
  if (isFresh) {
    rmSync(folder, { recursive: true, force: true })
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return join(folder, 'inbox.sqlite')
}

/** Returns a file for one run. */
export function passingFile(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-inbox-demo-once-'))
  return {
    path: join(folder, 'inbox.sqlite'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

type Driver = new (path: string) => SqliteDatabase

/** Opens a file with `node:sqlite` from Node 22.13 on, otherwise with an installed driver. */
export function openDatabase(path: string): SqliteDatabase {
  const builtIn = process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: Driver } | undefined
  if (builtIn) {
    return new builtIn.DatabaseSync(path)
  }
  const load = createRequire(import.meta.url)
  for (const name of ['libsql', 'better-sqlite3']) {
    try {
      const Database = load(name) as Driver
      return new Database(path)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') {
        throw error
      }
    }
  }
  throw new Error('this Node has no SQLite of its own; run npm install libsql, or use Node 22.13 or later')
}
