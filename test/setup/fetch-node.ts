import { execFile } from 'node:child_process'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** The registry has each release of Node as one package a platform. */
const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`
const runtime = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`

/** The binary of a release, fetched once a clone. A release that cannot be had is a failure: it would go untested. */
export async function fetchNode(release: string): Promise<string> {
  const folder = join(root, 'node_modules/.cache/webhook-inbox', `node-${release}`)
  const binary = join('node_modules', runtime, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node')
  const exists = await stat(join(folder, binary)).catch(() => undefined)
  if (!exists) {
    // Fetched beside and renamed, so that a run that was cut off leaves nothing that looks complete.
    const partial = `${folder}.${process.pid}`
    await mkdir(partial, { recursive: true })
    await writeFile(join(partial, 'package.json'), '{ "private": true }')
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
    await run('npm', ['install', ...quiet, `${runtime}@${release}`], {
      cwd: partial,
      shell: process.platform === 'win32',
    })
    await rm(folder, { recursive: true, force: true })
    await rename(partial, folder)
  }
  return join(folder, binary)
}
