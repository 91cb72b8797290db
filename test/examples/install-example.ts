import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { ensureBuilt, root } from './built.js'

export const run = promisify(execFile)

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

/** Installs the packed package and the given releases of others into an empty folder. Resolves to its path. */
export async function installBeside(packages: readonly string[]): Promise<string> {
  await ensureBuilt()
  const folder = await mkdtemp(join(tmpdir(), 'webhook-inbox-example-'))
  folders.push(folder)
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) as string
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', ...quiet, `./${tarball}`, ...packages], { cwd: folder })
  return folder
}

/** Copies an example, and what it shares with the others, into `folder`/examples. */
export async function copyExample(name: string, folder: string): Promise<void> {
  await cp(join(root, 'examples', name), join(folder, 'examples', name), { recursive: true })
  await copyFile(join(root, 'examples/environment.ts'), join(folder, 'examples/environment.ts'))
}
