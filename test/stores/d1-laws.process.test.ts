import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Miniflare, startWorker } from '../servers/d1.js'
import { lawsOf } from './d1-worker.js'

let miniflare: Miniflare

beforeAll(async () => {
  miniflare = await startWorker(await worker())
}, 120_000)
afterAll(() => miniflare?.dispose())

/** The program of the Worker, in which the laws run beside D1. */
async function worker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'd1-worker.ts')],
    alias: { '#crypto': join(import.meta.dirname, '../../src/signature/crypto/web.ts') },
    external: ['node:*'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    mainFields: ['module', 'main'],
  })
  return outputFiles[0]?.text as string
}

it.each([...lawsOf({ prepare() {}, batch() {} } as never).keys()])('in a Worker: %s', async (name) => {
  const answer = await miniflare.dispatchFetch(`http://localhost/${encodeURIComponent(name)}`)
  expect(await answer.text()).toBe('holds')
})
