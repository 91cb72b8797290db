import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { testSender } from '../../../src/testing/index.js'
import { type Program, start } from '../../examples/program.js'
import { freePort } from '../../servers/redis.js'
import { root } from '../imports.js'
import { fetchRuntime } from './fetch-runtime.js'

const consumer = inject('consumer')
let program: Program
let origin: string

beforeAll(async () => {
  // As a bundler of Workers does it: no module of Node can be imported.
  await build({
    entryPoints: [join(root, 'test/package/runtimes/workerd.mjs')],
    outfile: join(consumer, 'worker.js'),
    nodePaths: [join(consumer, 'node_modules')],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    mainFields: ['module', 'main'],
  })
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  const config = join(consumer, 'config.capnp')
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .worker)],
      sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
    );
    const worker :Workerd.Worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-11-01"
    );`,
  )
  const [command, ...before] = await fetchRuntime('workerd')
  program = start(command, [...before, config])
  await vi.waitFor(() => fetch(`${origin}/ran`), { timeout: 30_000 })
})
afterAll(() => program?.end('SIGKILL'))

it('workerd verifies, runs once and deduplicates, also between requests at the same moment', async () => {
  const sender = testSender({ url: `${origin}/webhooks`, secret: 'whsec_runtimes_secret' })
  const concurrent = await sender.concurrent(20, 'transfer.settled')
  const outcomes = concurrent.map(({ outcome }) => outcome).sort()
  expect(outcomes).toEqual([...Array(19).fill('duplicate'), 'processed'])
  const [first] = concurrent
  expect(await sender.redeliver(first as NonNullable<typeof first>)).toMatchObject({ outcome: 'duplicate' })
  const forged = await sender.prepare('transfer.settled')
  expect(await sender.deliver({ ...forged, body: Buffer.from(`${forged.body} `) })).toMatchObject({
    status: 401,
    code: 'signature_mismatch',
  })
  const others = await Promise.all(Array.from({ length: 20 }, () => sender.send('transfer.settled')))
  expect(others.map(({ outcome }) => outcome)).toEqual(Array(20).fill('processed'))
  expect(await (await fetch(`${origin}/ran`)).text()).toBe('21')
})
