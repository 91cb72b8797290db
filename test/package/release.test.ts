import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from './imports.js'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly workspaces: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const copy = mkdtempSync(join(tmpdir(), 'release-'))
afterAll(() => rmSync(copy, { recursive: true }))

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(copy, folder, 'package.json'), 'utf8'))

/** What changesets needs, in a repository of its own: the release writes into it. */
function makeCopy(): void {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const manifests = workspaces.map((folder) => join(folder, 'package.json'))
  for (const path of [...manifests, 'scripts/changeset.mjs', 'src/version.ts', '.changeset/config.json']) {
    cpSync(join(root, path), join(copy, dirname(path), path.split('/').at(-1) as string))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, '.gitignore'), 'node_modules\n')
  writeFileSync(
    join(copy, '.changeset/one.md'),
    "---\n'webhook-inbox': minor\n'webhook-inbox-cli': minor\n---\n\n**breaking** A change.\n",
  )
  const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, stdio: 'pipe' })
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=test', '-c', 'user.email=test@test', 'commit', '--quiet', '-m', 'start')
}

describe('a release by changesets', () => {
  it('gives each published package the next minor version, and peers that fit it', () => {
    makeCopy()
    const [major, minor] = manifest('.').version.split('.').map(Number)
    execFileSync(process.execPath, ['scripts/changeset.mjs', 'version'], { cwd: copy, stdio: 'pipe' })

    const next = `${major}.${Number(minor) + 1}.0`
    const published = manifest('.')
      .workspaces.map(manifest)
      .filter((each) => !each.private)
    expect(published.map(({ name }) => name)).toContain('webhook-inbox')
    expect(published.length).toBeGreaterThan(5)
    for (const { name, version, dependencies, peerDependencies } of published) {
      expect(version, name).toBe(next)
      const own = Object.entries({ ...dependencies, ...peerDependencies }).filter(([each]) =>
        each.startsWith('webhook-inbox'),
      )
      expect(own, name).toEqual(own.map(([each]) => [each, `^${next}`]))
    }
    expect(readFileSync(join(copy, 'src/version.ts'), 'utf8')).toContain(`'${next}'`)
  })
})
