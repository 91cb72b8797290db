import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import config from '../../vitest.config.js'
import { root } from './imports.js'
import { readme } from './readme.js'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }

describe('the gate', () => {
  it('runs the command that the README names, after the install that it names', () => {
    const steps = read('.ci/run').match(/^npm .+$/gm) ?? []
    expect(steps).toEqual(['npm ci', 'npm test'])
    expect(readme).toContain(steps.join(' && '))
  })

  it('lints, builds, checks types and installs servers before it tests', () => {
    const parts = (scripts.test ?? '').split(' && ')
    expect(parts).toEqual([
      'npm run lint',
      'npm run build',
      'npm run typecheck',
      'npm run servers',
      'vitest run',
    ])
  })

  it('leaves no folder of tests out', () => {
    const folders = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => path.split(/[\\/]/)[0] as string)
    const patterns = (config.test?.projects ?? []).flatMap((project) =>
      typeof project === 'object' && 'test' in project ? (project.test?.include ?? []) : [],
    )
    const isRun = (folder: string) => patterns.includes(`test/${folder}/**/*.test.ts`)
    expect(folders.length).toBeGreaterThan(10)
    expect([...new Set(folders)].filter((folder) => !isRun(folder))).toEqual([])
  })

  it('registers hooks in the files of tests, because files of a worker share other modules', () => {
    // These projects load the modules of each file anew, and setup files run before each file.
    const isolated = /^(test\/(examples|telemetries|stores|setup)|packages\/cli\/test)\/|\/setup\//
    const folders = ['test', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/test`)]
    const shared = folders
      .filter((folder) => existsSync(join(root, folder)))
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
          (path) => `${folder}/${path}`,
        ),
      )
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !isolated.test(path))
    expect(shared.length).toBeGreaterThan(50)
    expect(shared.filter((path) => /^(before|after)(Each|All)\(/m.test(read(path)))).toEqual([])
  })

  it('has every script that a document mentions', () => {
    const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].map(read).join('\n')
    const named = [...documents.matchAll(/\bnpm run (?:--?[a-z]+ )*([a-z][a-z:-]*)/g)].map(
      (match) => match[1] as string,
    )
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})
