import { execFile } from 'node:child_process'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** The npm registry has each release of Node as one package per platform. */
const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`
const runtime = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`

/** Returns the binary of a release. Downloads it once per clone. Fails if it cannot, because the release would be untested. */
export async function fetchNode(release: string): Promise<string> {
  const folder = join(root, 'node_modules/.cache/webhook-inbox', `node-${release}`)
  const binary = join('node_modules', runtime, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node')
  const exists = await stat(join(folder, binary)).catch(() => undefined)
  if (!exists) {
    // Download to another name and rename, so that an interrupted run leaves no incomplete binary.
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
