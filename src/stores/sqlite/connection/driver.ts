import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ConfigurationError } from '../../../errors.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** A driver of SQLite, and its name for error messages. */
export interface Driver {
  readonly name: string
  readonly Database: new (path: string) => SqliteDatabase
}

/**
 * `node:sqlite` if Node has it (22.13 and later, or 22.5 with a flag). Otherwise a driver that the user has installed.
 * Throws `ConfigurationError` `store_unsupported` if there is none, or if it does not load.
 */
export function findDriver(): Driver {
  const builtIn = process.getBuiltinModule?.('node:sqlite') as
    | { DatabaseSync: Driver['Database'] }
    | undefined
  if (builtIn) {
    return { name: 'node:sqlite', Database: builtIn.DatabaseSync }
  }
  // A bundler must not follow this call: both packages contain binaries, and the user installs at most one. Turbopack
  // follows `createRequire(import.meta.url)`, but not a path.
  const load = createRequire(fileURLToPath(import.meta.url))
  for (const name of Object.keys(installed)) {
    try {
      load.resolve(name)
    } catch {
      continue
    }
    try {
      return { name, Database: load(name) as Driver['Database'] }
    } catch (cause) {
      throw notLoaded(name, cause)
    }
  }
  throw new ConfigurationError(
    'store_unsupported',
    'this Node has no node:sqlite; run npm install better-sqlite3 (or libsql), use Node 22.13 or later, or pass an open handle',
  )
}

/** Whether the driver works without any file. better-sqlite3 loads its binary only when it opens the first database. */
export function doesLoad({ Database }: Driver): boolean {
  try {
    new Database(':memory:').close()
    return true
  } catch {
    return false
  }
}

/** The binary of a driver is missing, or is for another Node. npm can be set to run no install scripts. */
export const notLoaded = (name: string, cause: unknown): ConfigurationError =>
  new ConfigurationError(
    'store_unsupported',
    `${name} is installed but ${installed[name] ?? 'does not load'}, or use Node 22.13 or later`,
    { cause },
  )

/** In order of preference, with what is wrong if one does not load, and its fix. */
const installed: Readonly<Record<string, string>> = {
  'better-sqlite3': 'not built for this Node; run npm rebuild better-sqlite3',
  libsql: 'lacks its binary for this system; run npm install libsql without --omit=optional',
}
