import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { describe, expect, inject, it } from 'vitest'
import { root } from './imports.js'

describe('the packed package', () => {
  it('passes publint, suggestions included', async () => {
    const pkgDir = join(inject('consumer'), 'node_modules/webhook-inbox')
    const { messages } = await publint({ pkgDir, pack: false, level: 'suggestion', strict: true })
    expect(messages).toEqual([])
  })

  /**
   * The profile leaves out two ways to resolve: `node10`, which knows no `exports` and which no supported Node uses,
   * and `node16-cjs`, whose rule `cjs-resolves-to-esm` warns of a `require` that fails before Node 20.19, the oldest
   * that we support (load.test.ts requires every subpath). No other rule is ignored.
   */
  it('resolves to the right types in every way that ESM has', async () => {
    const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    const args = [
      attw,
      inject('tarball'),
      '--profile',
      'esm-only',
      '--format',
      'json',
      '--no-definitely-typed',
    ]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      maxBuffer: 64 * 1024 * 1024,
    }).catch((failed: { stdout: string }) => failed)
    const { analysis, problems } = JSON.parse(stdout)
    expect(Object.keys(analysis.entrypoints).length).toBeGreaterThan(1)
    expect(problems).toEqual({})
  })
})
