import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { fetchNode } from '../../setup/fetch-node.js'
import { root } from '../imports.js'

/** The oldest supported release, and one exact release of every later line, so that a run can be repeated. */
const all = ['20.19.0', '22.23.3', '24.21.0', '26.10.0']

/** The oldest and the newest. `LONG=1` adds those between, on which the ci workflow runs all tests too. */
const releases = process.env.LONG ? all : all.filter((_, i) => i === 0 || i === all.length - 1)
if (!process.env.LONG) {
  console.info(
    `Node ${all.slice(1, -1).join(' and ')}: skipped, as the ci workflow runs all tests on them. Set LONG=1.`,
  )
}

const run = promisify(execFile)

describe.concurrent('on Node', () => {
  const program = join(inject('consumer'), 'conformance.mjs')
  beforeAll(async () => {
    for (const name of ['conformance.mjs', 'samples.mjs']) {
      await copyFile(join(root, 'test/package/runtimes', name), join(inject('consumer'), name))
    }
  })

  it.each(releases)('%s the package passes the conformance program', async (release) => {
    const node = await fetchNode(release)

    const { stdout, stderr } = await run(node, [program], { timeout: 60_000 })

    expect(stdout).toMatch(new RegExp(`^\\d+ passed on Node ${release.replaceAll('.', '\\.')}$`, 'm'))
    expect(stderr).toBe('')
  })
})
