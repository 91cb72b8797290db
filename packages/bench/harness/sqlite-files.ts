import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { SqliteDatabase } from 'webhook-inbox/stores/sqlite'

type Driver = new (path: string) => SqliteDatabase

const builtIn = process.getBuiltinModule('node:sqlite') as { DatabaseSync: Driver } | undefined

/** Uses `node:sqlite` where Node has it, otherwise libsql. */
const Database = builtIn?.DatabaseSync ?? (createRequire(import.meta.url)('libsql') as Driver)
export const driver = builtIn ? 'node:sqlite' : 'libsql'

export const openIn = (directory: string, name: string) => new Database(join(directory, `${name}.db`))

/** Creates a directory below the working directory, because the system's may be in memory. It is deleted at exit. */
export function scratch(): string {
  const directory = mkdtempSync(join(process.cwd(), '.bench-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(1))
  }
  return directory
}

/** Returns the type of the file system, for example `ext4`. */
export function fileSystem(directory: string): string {
  const [, line = ''] = execFileSync('df', ['-PT', directory], { encoding: 'utf8' }).split('\n')
  return line.split(/\s+/)[1] ?? 'unknown file system'
}
