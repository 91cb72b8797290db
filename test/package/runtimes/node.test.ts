import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { fetchNode } from '../../setup/fetch-node.js'
import { root } from '../imports.js'

/** The oldest supported release, and one exact release of every later line, so that a run can be repeated. */
const releases = ['20.19.0', '22.23.3', '24.21.0', '26.10.0']

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
