import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { SqliteDatabase } from 'webhook-inbox/stores/sqlite'

type Driver = new (path: string) => SqliteDatabase

const builtIn = process.getBuiltinModule('node:sqlite') as { DatabaseSync: Driver } | undefined

/** Node’s own driver where there is one, else libsql. */
const Database = builtIn?.DatabaseSync ?? (createRequire(import.meta.url)('libsql') as Driver)
export const driver = builtIn ? 'node:sqlite' : 'libsql'

export const openIn = (directory: string, name: string) => new Database(join(directory, `${name}.db`))

/** A directory on the disk of the working directory, and not in memory as that of the system may be; gone in the end. */
export function scratch(): string {
  const directory = mkdtempSync(join(process.cwd(), '.bench-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(1))
  }
  return directory
}

/** Such as `ext4`. */
export function fileSystem(directory: string): string {
  const [, line = ''] = execFileSync('df', ['-PT', directory], { encoding: 'utf8' }).split('\n')
  return line.split(/\s+/)[1] ?? 'unknown file system'
}
