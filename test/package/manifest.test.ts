import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { sourceFiles } from './imports.js'

const packed = join(inject('consumer'), 'node_modules/webhook-inbox')
const manifest = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))
const files = readdirSync(packed, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(packed, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))

/** Leaves without their own subpath. */
const withoutSubpath: Readonly<Record<string, string>> = {
  'src/stores/memory.ts': 'part of the core: `import { memoryStore } from "webhook-inbox"`',
}

const exported = Object.entries<{ types: string; default: string }>(manifest.exports).filter(
  ([subpath]) => subpath !== './package.json',
)

describe('package.json', () => {
  it('exports files that are there, with their types', () => {
    const targets = exported.flatMap(([, { types, default: script }]) => [types, script])
    expect(targets.filter((target) => !files.includes(normalize(target)))).toEqual([])
    for (const [subpath, { types, default: script }] of exported) {
      expect(types, subpath).toBe(script.replace(/\.js$/, '.d.ts'))
    }
  })

  it('exports each store, queue and adapter', () => {
    const scripts = exported.map(([, target]) => target.default)
    const missing = leaves().filter((leaf) => !scripts.includes(`./dist/${leaf.replace(/\.ts$/, '.js')}`))
    expect(missing.filter((leaf) => !(leaf in withoutSubpath))).toEqual([])
  })

  it('names both builds of the cryptography', () => {
    const targets = Object.values<string>(manifest.imports['#crypto'])
    expect(targets).toHaveLength(2)
    expect(targets.filter((target) => !files.includes(normalize(target)))).toEqual([])
  })

  it('requires no framework and no client', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(['zod'])
    const optional = Object.keys(manifest.peerDependencies).map((peer) => manifest.peerDependenciesMeta[peer])
    expect(optional).toEqual(optional.map(() => ({ optional: true })))
    expect(installed()).toEqual(expect.arrayContaining(['zod']))
    expect(installed().filter((name) => name in manifest.peerDependencies)).toEqual([])
  })

  it('declares every package that the types refer to', () => {
    const referred = files.filter((file) => file.endsWith('.d.ts')).flatMap(packagesOf)
    const declared = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]
    expect(referred.length).toBeGreaterThan(0)
    expect(referred.filter(({ name }) => !declared.includes(name))).toEqual([])
  })
})

describe('the tarball', () => {
  it('contains the build, its source and the documents with the files they link to, and nothing else', () => {
    const expected =
      /^(?:dist|src|adapters|docs|examples)\/|^packages\/\w+\/(?:README\.md|LICENSE)$|^(?:package\.json|LICENSE|README\.md|SECURITY\.md|CONTRIBUTING\.md|CHANGELOG\.md)$/
    expect(files.filter((file) => !expected.test(file))).toEqual([])
    const own = files.filter((file) => !file.startsWith('examples/'))
    expect(own.filter((file) => /(?:^|\/)(?:test|bench|demo)\/|\.test\./.test(file))).toEqual([])
    expect(files.filter((file) => /(?:^|\/)(?:node_modules|\.next)\//.test(file))).toEqual([])
  })

  it('holds nothing whose source is gone', () => {
    const source = new Set([...sourceFiles('src'), ...sourceFiles('adapters')])
    const built = files.filter((file) => /^dist\/.*\.js$/.test(file))
    expect(built.length).toBe(source.size)
    expect(built.filter((file) => !source.has(file.slice('dist/'.length).replace(/\.js$/, '.ts')))).toEqual(
      [],
    )
  })

  it('holds the source of every source map', () => {
    const maps = files.filter((file) => file.endsWith('.map'))
    expect(maps.length).toBeGreaterThan(0)
    for (const map of maps) {
      const { sources } = JSON.parse(readFileSync(join(packed, map), 'utf8')) as { sources: string[] }
      for (const source of sources) {
        expect(files).toContain(join(dirname(map), source).replaceAll('\\', '/'))
      }
    }
  })
})

/** A leaf is a file directly in its folder. A folder of the same name belongs to it. */
function leaves(): string[] {
  return ['adapters', 'src/stores', 'src/queues', 'src/telemetries']
    .flatMap(sourceFiles)
    .filter((file) => /^(?:adapters|src\/\w+)\/[^/]+\.ts$/.test(file))
}

function installed(): string[] {
  return inject('installedAlone').filter((name) => !name.startsWith('.'))
}

/** Returns the packages that a declaration file imports, except Node’s own types. */
function packagesOf(file: string): { file: string; name: string }[] {
  const text = readFileSync(join(packed, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)]
    .map((match) => match[1] as string)
    .filter((specifier) => !/^(?:\.|#|node:)/.test(specifier))
    .map((specifier) => ({ file, name: /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] as string }))
}
