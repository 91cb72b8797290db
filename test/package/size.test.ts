import { afterAll, describe, expect, it } from 'vitest'
import { bundle } from './bundle.js'
import { subpaths } from './subpaths.js'

const kilobyte = 1000

/** Bytes of each subpath, minified and compressed, without dependencies; those below the core without the core. */
const budgets: Readonly<Record<string, number>> = {
  'webhook-inbox': 12 * kilobyte,
  'webhook-inbox/express': kilobyte,
  'webhook-inbox/fastify': kilobyte,
  'webhook-inbox/fetch': kilobyte,
  'webhook-inbox/koa': kilobyte,
  'webhook-inbox/lambda': kilobyte,
  'webhook-inbox/next': kilobyte,
  'webhook-inbox/node': kilobyte,
  'webhook-inbox/stores/redis': 5 * kilobyte,
  'webhook-inbox/testing': 8 * kilobyte,
}

describe('bytes', () => {
  const table: Record<string, { bytes: number; budget: number }> = {}
  afterAll(() => console.table(table))

  it.each(subpaths)('%s keeps to its budget', async (specifier) => {
    const program = `export * from '${specifier}'`
    const { size } = await bundle(program, { withoutCore: specifier !== 'webhook-inbox' })
    const budget = budgets[specifier]
    table[specifier] = { bytes: size, budget: budget ?? Number.NaN }
    expect(size).toBeGreaterThan(100)
    expect(size).toBeLessThan(budget ?? 0)
  })

  it.each(subpaths)('%s costs nothing where it is imported and not used', async (specifier) => {
    expect((await bundle(`import '${specifier}'`)).size).toBe(0)
    expect((await bundle(`import * as unused from '${specifier}'`)).size).toBe(0)
  })

  it('verifying alone costs neither the receiver nor zod', async () => {
    const part = await bundle(`export { verifySignature } from 'webhook-inbox'`)
    expect(part.size).toBeLessThan(5 * kilobyte)
    expect(part.imports).toEqual(['node:crypto'])
  })
})

describe('the core', () => {
  const core = `export * from 'webhook-inbox'`

  it('holds no leaf but the memory store', async () => {
    const { files } = await bundle(core)
    const leaves = files.filter((file) => /\/(?:stores|queues|testing|adapters)\//.test(file))
    expect(leaves).toEqual(['dist/src/stores/memory.js'])
  })

  it('imports node:crypto on Node, and no other module of it', async () => {
    expect((await bundle(core)).imports).toEqual(expect.arrayContaining(['node:crypto', 'zod']))
    expect(new Set((await bundle(core)).imports)).toEqual(new Set(['node:crypto', 'zod']))
  })

  it('imports no module of Node elsewhere', async () => {
    const { imports, files } = await bundle(core, { platform: 'neutral' })
    expect(new Set(imports)).toEqual(new Set(['zod']))
    expect(files).toContain('dist/src/crypto/web.js')
    expect(files).not.toContain('dist/src/crypto/node.js')
  })
})
