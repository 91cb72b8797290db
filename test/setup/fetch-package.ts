import { execFile } from 'node:child_process'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/**
 * Installs one release of a package beside the clone, once, and returns the folder of its `node_modules`. For what only
 * some tests need and is too large for the lockfile. Fails if it cannot, because the release would be untested.
 */
export async function fetchPackage(name: string, release: string): Promise<string> {
  const folder = join(
    root,
    'node_modules/.cache/webhook-inbox',
    `${name.replace('@', '').replace('/', '-')}-${release}`,
  )
  const exists = await stat(folder).catch(() => undefined)
  if (!exists) {
    // Install under another name and rename, so that an interrupted run leaves no incomplete package.
    const partial = `${folder}.${process.pid}`
    await mkdir(partial, { recursive: true })
    await writeFile(join(partial, 'package.json'), '{ "private": true }')
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
    await run('npm', ['install', ...quiet, `${name}@${release}`], {
      cwd: partial,
      shell: process.platform === 'win32',
    })
    // Another worker may have been faster.
    await rename(partial, folder).catch(() => rm(partial, { recursive: true, force: true }))
  }
  return join(folder, 'node_modules')
}
