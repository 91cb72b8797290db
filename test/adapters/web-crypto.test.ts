import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { build, type Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixture, tamper, testSecret } from '../../src/testing/index.js'
import { installPackage } from './install-package.js'

/** What an edge runtime offers: web standards, and nothing of Node. */
const webGlobals = [
  'AbortController',
  'AbortSignal',
  'Headers',
  'Request',
  'Response',
  'ReadableStream',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'atob',
  'btoa',
  'clearTimeout',
  'console',
  'crypto',
  'performance',
  'setTimeout',
] as const

type Package = typeof import('../../src/index.js') & typeof import('../../adapters/fetch.js')

/** The fetch adapter and the core, bundled for a worker as a user’s bundler does it, running without Node. */
describe('on an edge runtime', () => {
  let folder: string
  let metafile: Metafile
  let bundle: Package

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webhook-inbox-worker-'))
    await installPackage(folder)
    const result = await build({
      stdin: {
        contents: "export * from 'webhook-inbox'; export * from 'webhook-inbox/fetch'",
        resolveDir: folder,
      },
      nodePaths: [fileURLToPath(new URL('../../node_modules', import.meta.url))],
      bundle: true,
      write: false,
      metafile: true,
      format: 'iife',
      globalName: 'bundle',
      platform: 'neutral',
      conditions: ['worker', 'import'],
    })
    metafile = result.metafile
    const globals = Object.fromEntries(webGlobals.map((name) => [name, globalThis[name]]))
    bundle = runInContext(`${result.outputFiles[0]?.text}; bundle`, createContext(globals)) as Package
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('the bundle holds the WebCrypto build and no module of Node', () => {
    const inputs = Object.keys(metafile.inputs)
    expect(
      inputs.filter(
        (path) => dirname(path).endsWith('src/signature/crypto') && /(?:node|web)\.js$/.test(path),
      ),
    ).toEqual([expect.stringMatching(/web\.js$/)])
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
    expect(imports.filter(({ path, external }) => external || path.startsWith('node:'))).toEqual([])
  })

  test('it signs and verifies the known vector', async () => {
    const body = '{"id":"evt_123","type":"transfer.settled"}'
    const secret = 'whsec_test_secret'
    const header = 't=1700000000,v1=a2a06a28d8d674d752c96b698c8d44de83cfa2353cea7f336f62d729b94d3191'
    expect(await bundle.signPayload({ body, secret, timestamp: 1700000000 })).toBe(header)
    expect(await bundle.verifySignature({ body, header, secret, now: 1700000000 })).toEqual({
      timestamp: 1700000000,
      secretIndex: 0,
    })
    await expect(
      bundle.verifySignature({ body: `${body} `, header, secret, now: 1700000000 }),
    ).rejects.toMatchObject({ code: 'signature_mismatch' })
  })

  test('it receives: once, then a duplicate, and rejects what was tampered with, stale or unsigned', async () => {
    const seen: string[] = []
    const receiver = bundle.createReceiver({
      secret: ['whsec_old_secret_1', testSecret],
      store: bundle.memoryStore(),
      handlers: { 'transfer.settled': ({ data }) => void seen.push(data.transferId) },
      logger: false,
    })
    const handle = bundle.fetchHandler(receiver)
    const send = async ({
      headers,
      body,
    }: {
      headers: Readonly<Record<string, string>>
      body: Uint8Array
    }) => {
      const init = { method: 'POST', headers: { ...headers }, body: body as Uint8Array<ArrayBuffer> }
      const answer = await handle(new Request('https://localhost/webhooks', init))
      const { outcome, code } = (await answer.json()) as { outcome: string; code?: string }
      return code ?? outcome
    }
    const delivery = await fixture('transfer.settled', { data: { transferId: 'tr_é\u{1f4b8}' } })
    const { body, headers } = delivery
    const { 'service-signature': _, ...unsigned } = headers

    expect(await send(delivery)).toBe('processed')
    expect(await send(delivery)).toBe('duplicate')
    expect(await send(tamper.body(delivery))).toBe('signature_mismatch')
    expect(await send(await fixture('transfer.settled', { ageSeconds: 310 }))).toBe(
      'timestamp_out_of_tolerance',
    )
    expect(await send({ body, headers: unsigned })).toBe('missing_signature')
    expect(seen).toEqual(['tr_é\u{1f4b8}'])
  })
})
