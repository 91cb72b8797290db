import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Import, importsOf, root, sourceFiles } from './imports.js'

/**
 * The layers, top first. A file may import from its own layer and from those below, types included.
 * A pattern is a file, or a folder with everything in it.
 */
const layers: readonly (readonly string[])[] = [
  ['src/index.ts'],
  ['adapters/', 'src/stores/', 'src/queues/', 'src/telemetries/', 'src/testing/'],
  [
    'src/adapter-port.ts',
    'src/receiver.ts',
    'src/operations/',
    'src/pipeline.ts',
    'src/flow/',
    'src/worker.ts',
    'src/steps/',
    'src/options/',
    'src/report/',
    'src/lifespan/',
    'src/forward/',
    'src/telemetry/',
    'src/ordering/ordered.ts',
  ],
  ['src/dispatch/', 'src/store/', 'src/queue/'],
  ['src/signature/', 'src/event/', 'src/ordering/lifecycle.ts', 'src/request.ts', 'src/timing/'],
  [
    'src/errors.ts',
    'src/version.ts',
    'src/codes.ts',
    'src/error-text.ts',
    'src/catch-later.ts',
    'src/result.ts',
    'src/verified-delivery.ts',
    'src/given-options.ts',
    'src/event/event.ts',
  ],
]

/** Leaves do not import each other, with these exceptions: leaf -> leaves it may import. */
const leaves = ['adapters/', 'src/stores/', 'src/queues/', 'src/telemetries/', 'src/testing/']
const foundations: Readonly<Record<string, readonly string[]>> = {
  'adapters/adapter': ['adapters/node'],
  'adapters/express': ['adapters/node'],
  'adapters/fastify': ['adapters/node'],
  'adapters/koa': ['adapters/node'],
  'adapters/next': ['adapters/fetch', 'adapters/node'],
}

/** The packages that may be loaded, and where. All others come in through an option, or as types only. */
const packages: readonly (readonly [name: string, ...where: string[]])[] = [
  ['zod', 'src/event/'],
  ['node:crypto', 'src/signature/crypto/node.ts'],
  ['@opentelemetry/api', 'src/telemetries/'],
  ['node:', 'adapters/', 'src/stores/', 'src/queues/', 'src/telemetries/', 'src/testing/'],
]

const files = [...sourceFiles('src'), ...sourceFiles('adapters')]
const imports = files.flatMap(importsOf)
const local = imports.filter((each) => each.isLocal)

describe('layers', () => {
  it('contain every file once', () => {
    expect(files.length).toBeGreaterThan(30)
    expect(files.filter((file) => layerOf(file) < 0)).toEqual([])
  })

  it('import only files that exist', () => {
    expect(show(local.filter(({ to }) => !existsSync(join(root, to))))).toEqual([])
  })

  it('import downwards only', () => {
    expect(show(local.filter(({ from, to }) => layerOf(to) < layerOf(from)))).toEqual([])
  })

  it('keep leaves apart', () => {
    expect(show(local.filter(({ from, to }) => !mayStandOn(leafOf(from), leafOf(to))))).toEqual([])
  })

  it('have no cycle at run time', () => {
    expect(findCycle(local.filter((each) => !each.isType))).toBeUndefined()
  })

  it.each([
    ['of the core', files],
    ['of the sandbox', sourceFiles('packages/sandbox/src')],
  ])('%s have unique file names, except index.ts and node.ts', (_, given) => {
    expect(given.length).toBeGreaterThan(30)
    const names = given.map((file) => file.slice(file.lastIndexOf('/') + 1))
    const repeated = names.filter((name, i) => names.indexOf(name) !== i)
    expect(repeated.filter((name) => !['index.ts', 'node.ts'].includes(name))).toEqual([])
  })

  it('load only listed packages', () => {
    const loaded = imports.filter((each) => !each.isLocal && !each.isType)
    expect(loaded.length).toBeGreaterThan(0)
    expect(show(loaded.filter((each) => !mayLoad(each)))).toEqual([])
  })
})

/** Returns the layer with the most exact pattern for the file, or -1. */
function layerOf(file: string): number {
  const exact = layers.findIndex((layer) => layer.includes(file))
  return exact >= 0 ? exact : layers.findIndex((layer) => layer.some((pattern) => covers(pattern, file)))
}

const covers = (pattern: string, file: string) =>
  pattern.endsWith('/') ? file.startsWith(pattern) : file === pattern

/** `adapters/lambda/lambda-event.ts` and `adapters/lambda.ts` are the leaf `adapters/lambda`; `src/testing` is one leaf. */
function leafOf(file: string): string | undefined {
  const folder = leaves.find((each) => file.startsWith(each))
  if (folder === undefined) {
    return undefined
  }
  if (folder === 'src/testing/') {
    return 'src/testing'
  }
  return folder + file.slice(folder.length).split(/[/.]/)[0]
}

function mayStandOn(leaf: string | undefined, other: string | undefined): boolean {
  if (leaf === undefined || other === undefined || leaf === other) {
    return true
  }
  return foundations[leaf]?.includes(other) ?? false
}

function mayLoad({ from, to }: Import): boolean {
  return packages.some(
    ([name, ...where]) =>
      (name.endsWith(':') ? to.startsWith(name) : to === name) &&
      where.some((pattern) => covers(pattern, from)),
  )
}

/** The files of one cycle, the first repeated at the end. */
function findCycle(edges: readonly Import[]): string[] | undefined {
  const finished = new Set<string>()
  const walk = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) {
      return [...path.slice(path.indexOf(file)), file]
    }
    if (finished.has(file)) {
      return undefined
    }
    for (const { to } of edges.filter(({ from }) => from === file)) {
      const cycle = walk(to, [...path, file])
      if (cycle) {
        return cycle
      }
    }
    finished.add(file)
    return undefined
  }
  for (const file of files) {
    const cycle = walk(file, [])
    if (cycle) {
      return cycle
    }
  }
  return undefined
}

const show = (found: readonly Import[]) =>
  found.map(({ from, to, isType }) => `${from} -> ${to}${isType ? ' (type)' : ''}`)
