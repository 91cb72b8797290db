import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { describe, expect, inject, it } from 'vitest'

/** Rules that do not apply. Together they are the profile `esm-only` of attw. */
const ignored = [
  {
    kind: 'NoResolution',
    resolutionKind: 'node10',
    reason: 'moduleResolution "node10" knows no exports; every Node and TypeScript that we support does',
  },
  {
    kind: 'CJSResolvesToESM',
    resolutionKind: 'node16-cjs',
    reason: 'require of an ES module works from Node 20.19 on, the oldest we support; load.test.ts shows it',
  },
]

describe('the packed package', () => {
  it('passes publint, suggestions included', async () => {
    const pkgDir = join(inject('consumer'), 'node_modules/webhook-inbox')
    const { messages } = await publint({ pkgDir, pack: false, level: 'suggestion', strict: true })
    expect(messages).toEqual([])
  })

  it('resolves to the right types by attw', async () => {
    const tarball = await readFile(inject('tarball'))
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)))
    if (!analysis.types) {
      throw new Error('attw finds no types')
    }
    expect(Object.keys(analysis.entrypoints)).toEqual(expect.arrayContaining(['.', './testing']))
    expect(analysis.problems.filter((problem) => !isIgnored(problem))).toEqual([])
  })
})

const isIgnored = (problem: Problem) =>
  ignored.some(
    ({ kind, resolutionKind }) =>
      problem.kind === kind && 'resolutionKind' in problem && problem.resolutionKind === resolutionKind,
  )
