import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bundle } from './bundle.js'
import { root, sourceFiles } from './imports.js'
import { subpaths } from './subpaths.js'

const kilobyte = 1000

/** Size budgets in bytes, minified and compressed, without dependencies and without the files of the last column. */
const budgets: [specifier: string, bytes: number, ...without: string[]][] = [
  ['webhook-inbox', 42.9 * kilobyte],
  ['webhook-inbox/queues/bullmq', 3 * kilobyte, 'core'],
  ['webhook-inbox/queues/local', 2 * kilobyte, 'core'],
  ['webhook-inbox/queues/pg-boss', 3 * kilobyte, 'core'],
  ['webhook-inbox/stores/d1', 2 * kilobyte, 'core'],
  ['webhook-inbox/stores/dynamodb', 2.1 * kilobyte, 'core'],
  ['webhook-inbox/stores/postgres', 37.6 * kilobyte, 'core'],
  ['webhook-inbox/stores/redis', 5.3 * kilobyte, 'core'],
  ['webhook-inbox/stores/sqlite', 28.9 * kilobyte, 'core'],
  ['webhook-inbox/opentelemetry', 3.5 * kilobyte, 'core'],
  ['webhook-inbox/diagnostics-channel', kilobyte, 'core'],
  ['webhook-inbox/testing', 42.5 * kilobyte, 'core'],
  ['webhook-inbox/adapter', 2.5 * kilobyte, 'core'],
  ['webhook-inbox/express', kilobyte, 'core', 'node'],
  ['webhook-inbox/fastify', 1.25 * kilobyte, 'core', 'node'],
  ['webhook-inbox/fetch', kilobyte, 'core'],
  ['webhook-inbox/koa', kilobyte, 'core', 'node'],
  ['webhook-inbox/lambda', 1.25 * kilobyte, 'core'],
  ['webhook-inbox/next', kilobyte, 'core', 'fetch', 'node'],
  ['webhook-inbox/node', 1.25 * kilobyte, 'core'],
]

/** Budget of a service that mounts a receiver. Bundlers remove the unused rest of the core. */
const receiverBudget = 38.3 * kilobyte

/** Budget of adapters/node/, which the adapters for Node share. */
const sharedBudget = 2.5 * kilobyte

/** Files that several leaves share. An application loads them once. */
const foundations: Readonly<Record<string, readonly string[]>> = {
  core: readdirSync(join(root, 'src'))
    .filter((name) => !['stores', 'queues', 'telemetries', 'testing'].includes(name))
    .map((name) => `dist/src/${name.endsWith('.ts') ? name.replace(/\.ts$/, '.js') : `${name}/`}`),
  fetch: ['dist/adapters/fetch.js'],
  node: ['dist/adapters/node.js', 'dist/adapters/node/'],
}

describe('bytes', () => {
  const table: Record<string, { bytes: number; budget: number; without: string }> = {}
  afterAll(() => console.table(table))

  it('are budgeted for every subpath', () => {
    expect(budgets.map(([specifier]) => specifier).sort()).toEqual([...subpaths].sort())
  })

  it.each(budgets)('%s keeps to %i', async (specifier, budget, ...names: string[]) => {
    const without = names.flatMap((name) => foundations[name] as readonly string[])
    const { size } = await bundle(`export * from '${specifier}'`, { without })
    table[specifier] = { bytes: size, budget, without: names.join(', ') }
    expect(size).toBeGreaterThan(100)
    expect(size).toBeLessThan(budget)
  })

  it('a receiver without the rest of the core keeps to its budget', async () => {
    const { size } = await bundle(`export { createReceiver } from 'webhook-inbox'`)
    table.createReceiver = { bytes: size, budget: receiverBudget, without: '' }
    expect(size).toBeGreaterThan(5 * kilobyte)
    expect(size).toBeLessThan(receiverBudget)
  })

  it('what the adapters for Node share keeps to its budget', async () => {
    const folder = './node_modules/webhook-inbox/dist/adapters/node'
    const files = sourceFiles('adapters/node').map((file) => basename(file, '.ts'))
    const program = files.map((name) => `export * from '${folder}/${name}.js'`).join('\n')
    const { size } = await bundle(program, { without: foundations.core as readonly string[] })
    table['adapters/node/'] = { bytes: size, budget: sharedBudget, without: 'core' }
    expect(files.length).toBeGreaterThan(1)
    expect(size).toBeLessThan(sharedBudget)
  })

  it.each(subpaths)('%s costs nothing where it is imported and not used', async (specifier) => {
    expect((await bundle(`import '${specifier}'`)).size).toBe(0)
    expect((await bundle(`import * as unused from '${specifier}'`)).size).toBe(0)
  })

  it('verifying alone costs neither the receiver nor zod', async () => {
    const part = await bundle(`export { verifySignature } from 'webhook-inbox'`)
    expect(part.size).toBeLessThan(5.3 * kilobyte)
    expect(part.imports).toEqual(['node:crypto'])
  })
})

describe('the core', () => {
  const core = `export * from 'webhook-inbox'`

  it('holds no leaf but the memory store', async () => {
    const { files } = await bundle(core)
    const leaves = files.filter((file) => /\/(?:stores|queues|testing|adapters)\//.test(file))
    expect(leaves.sort()).toEqual(['dist/src/stores/memory.js', 'dist/src/stores/memory/done-events.js'])
  })

  it('imports node:crypto on Node, and no other module of it', async () => {
    expect((await bundle(core)).imports).toEqual(expect.arrayContaining(['node:crypto', 'zod']))
    expect(new Set((await bundle(core)).imports)).toEqual(new Set(['node:crypto', 'zod']))
  })

  it('imports no module of Node elsewhere', async () => {
    const { imports, files } = await bundle(core, { platform: 'neutral' })
    expect(new Set(imports)).toEqual(new Set(['zod']))
    expect(files).toContain('dist/src/signature/crypto/web.js')
    expect(files).not.toContain('dist/src/signature/crypto/node.js')
  })
})
