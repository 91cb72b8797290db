import { readdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { exceptions } from '../mutation/exceptions.js'
import { folders } from '../mutation/folders.js'
import { root } from './imports.js'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** Without the folders that hold what is installed or built: a package may link back to this one. */
const files = [
  'src',
  'adapters',
  'test',
  ...['client', 'diagnose', 'console', 'cli', 'sandbox'].flatMap(foldersOf),
].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path.replaceAll('\\', '/')}`,
  ),
)
const matching = (patterns: readonly string[]) =>
  patterns.flatMap((pattern) => {
    // Node translates the pattern again for each path, which takes seconds for all files.
    const beginning = /^[^*?{[]*/.exec(pattern)?.[0] ?? ''
    return files.filter((path) => path.startsWith(beginning) && matchesGlob(path, pattern))
  })

function foldersOf(name: string): string[] {
  return [`packages/${name}/src`, `packages/${name}/test`]
}

it('the folders of the mutation tester hold each source file that ships once', () => {
  const shipped = matching([
    'src/**/*.ts',
    'adapters/**/*.ts',
    'packages/{client,diagnose,console,cli,sandbox}/src/**/*.ts',
  ])
  expect(shipped.length).toBeGreaterThan(200)
  const mutated = Object.values(folders).flatMap(({ mutate }) => matching(mutate))
  expect(mutated.sort()).toEqual(shipped.sort())
})

it.each(Object.entries(folders))('%s has tests', (_, { tests }) => {
  for (const pattern of tests) {
    expect([pattern, matching([pattern]).length]).not.toEqual([pattern, 0])
  }
})

it('the nightly run mutates every folder', () => {
  const { jobs } = parse(read('.github/workflows/nightly.yml')) as {
    jobs: { mutation: { strategy: { matrix: { folder: string[] } } } }
  }
  expect(jobs.mutation.strategy.matrix.folder).toEqual(Object.keys(folders))
})

it('each exception names a line that is there, and a reason', () => {
  const gone = exceptions.filter(({ file, code, reason }) => !reason || !read(file).includes(code))
  expect(gone).toEqual([])
})

it('no source holds a comment for the mutation tester', () => {
  const commented = Object.values(folders)
    .flatMap(({ mutate }) => matching(mutate))
    .filter((path) => /Stryker/.test(read(path)))
  expect(commented).toEqual([])
})
