import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SqliteDatabase } from '../../src/stores/sqlite.js'

type Driver = new (path: string) => SqliteDatabase

const load = createRequire(import.meta.url)
const builtIn = process.getBuiltinModule('node:sqlite') as { DatabaseSync: Driver } | undefined

/** It is compiled when it is installed, so `npm ci` leaves it out. The nightly workflow installs it. */
function findBetterSqlite(): Driver | undefined {
  try {
    return load('better-sqlite3') as Driver
  } catch {
    console.info(
      'the laws on better-sqlite3 are left out: it is not installed (npm install --no-save better-sqlite3)',
    )
    return undefined
  }
}

const betterSqlite = findBetterSqlite()

/** The available drivers: libsql, `node:sqlite` from Node 22.13 on, and better-sqlite3 where it is installed. */
export const drivers: readonly (readonly [name: string, open: (path: string) => SqliteDatabase])[] = [
  ['libsql', (path) => new (load('libsql') as Driver)(path)],
  ...(builtIn ? [['node:sqlite', (path: string) => new builtIn.DatabaseSync(path)] as const] : []),
  ...(betterSqlite ? [['better-sqlite3', (path: string) => new betterSqlite(path)] as const] : []),
]

const made: string[] = []

/** Returns the path of a new database in its own directory. */
export function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'webhook-inbox-sqlite-'))
  made.push(directory)
  return join(directory, 'inbox.db')
}

/** For a module that several test files of a worker share: `removeFiles` of one of them must not remove it. */
export function newSharedFile(): string {
  const path = newFile()
  const directory = made.pop() as string
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return path
}

export function removeFiles(): void {
  for (const directory of made.splice(0)) {
    rmSync(directory, { recursive: true, force: true })
  }
}
