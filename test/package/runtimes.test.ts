import { execFile } from 'node:child_process'
import { copyFile, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { root } from './imports.js'

/** The oldest release we support, and of every line since a release that is exact, so that a run can be repeated. */
const releases = ['20.19.0', '22.23.3', '24.21.0', '26.10.0']

/** The registry has each release of Node as one package a platform. */
const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`
const runtime = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`

const run = promisify(execFile)

describe.concurrent('on Node', () => {
  const program = join(inject('consumer'), 'conformance.mjs')
  beforeAll(() => copyFile(join(root, 'test/package/conformance.mjs'), program))

  it.each(releases)('%s the package does what it says', async (release) => {
    const node = await fetchNode(release)

    const { stdout, stderr } = await run(node, [program], { timeout: 60_000 })

    expect(stdout).toMatch(new RegExp(`^\\d+ passed on Node ${release.replaceAll('.', '\\.')}$`, 'm'))
    expect(stderr).toBe('')
  })
})

/** The binary of a release, fetched once a clone. A release that cannot be had is a failure: it would go untested. */
async function fetchNode(release: string): Promise<string> {
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
