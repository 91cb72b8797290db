import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('..', import.meta.url))

/** The program as it ships. Throws where it is older than its source: a test of it would prove nothing. */
export async function builtProgram(): Promise<string> {
  const program = join(folder, 'dist/main.js')
  const newest = Math.max(...(await Promise.all((await filesOf(join(folder, 'src'))).map(changedAt))))
  const built = await changedAt(program).catch(() => 0)
  if (built < newest) {
    throw new Error('packages/cli/dist is missing or old: npm run build -w packages/cli')
  }
  return program
}

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

const changedAt = async (path: string) => (await stat(path)).mtimeMs
