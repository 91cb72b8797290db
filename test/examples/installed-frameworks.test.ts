import { cp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deliveryOf, type SignedBody } from '../../src/testing/index.js'
import { fetchNode } from '../setup/fetch-node.js'
import { root } from './built.js'
import { expectVerdicts, secret } from './deliveries.js'
import { copyExample, installBeside, run } from './install-example.js'
import { start } from './program.js'

interface Framework {
  readonly name: string
  /** Too large for the lockfile, so each is installed into an empty folder, in exact releases. */
  readonly packages: readonly string[]
  /** What `node` runs to build the example, and to start what was built. */
  readonly build?: readonly string[]
  readonly start: readonly string[]
  /** The answer to a body that is no JSON. 403 comes from the protection of forms, and 415 from the receiver. */
  readonly textStatus: 403 | 415
  /** Whether the example lies in `examples` instead of being the whole project. */
  readonly isProgram?: boolean
}

const tsc = join(root, 'node_modules/@typescript/native/bin/tsc')
const nest = ['@nestjs/common@12.5.1', '@nestjs/core@12.5.1', 'reflect-metadata@0.2.2', 'rxjs@7.8.2']
const types = ['@types/node@20.19.43', '@types/express@5.0.6']

const frameworks: readonly Framework[] = [
  {
    name: 'nest',
    packages: [...nest, ...types, '@nestjs/platform-express@12.5.1', '@nestjs/platform-fastify@12.5.0'],
    build: [tsc, '-p', 'examples/nest'],
    start: ['examples/nest/dist/nest/express.js'],
    textStatus: 415,
    isProgram: true,
  },
  {
    name: 'nest',
    packages: [...nest, ...types, '@nestjs/platform-express@12.5.1', '@nestjs/platform-fastify@12.5.0'],
    build: [tsc, '-p', 'examples/nest'],
    start: ['examples/nest/dist/nest/fastify.js'],
    textStatus: 415,
    isProgram: true,
  },
  {
    name: 'elysia',
    packages: ['elysia@1.4.30', '@elysiajs/node@1.4.5', 'tsx@4.23.15'],
    start: ['--import', 'tsx', 'examples/elysia/server.ts'],
    textStatus: 415,
    isProgram: true,
  },
  {
    name: 'sveltekit',
    packages: [
      '@sveltejs/kit@3.2.0',
      '@sveltejs/adapter-node@6.0.1',
      '@sveltejs/vite-plugin-svelte@7.3.1',
      'svelte@5.57.3',
      'vite@8.3.8',
    ],
    build: ['node_modules/vite/bin/vite.js', 'build'],
    start: ['build/index.js'],
    textStatus: 403,
  },
  {
    name: 'astro',
    packages: ['astro@7.3.5', '@astrojs/node@11.1.6'],
    build: ['node_modules/astro/bin/astro.mjs', 'build'],
    start: ['dist/server/entry.mjs'],
    textStatus: 403,
  },
  {
    name: 'react-router',
    packages: [
      ...['react-router', '@react-router/node', '@react-router/serve', '@react-router/dev'].map(
        (name) => `${name}@8.4.0`,
      ),
      'react@19.3.1',
      'react-dom@19.3.1',
      'vite@7.3.8',
      'isbot@5.2.3',
    ],
    build: ['node_modules/@react-router/dev/bin.cjs', 'build'],
    start: ['node_modules/@react-router/serve/bin.cjs', 'build/server/index.js'],
    textStatus: 415,
  },
  {
    name: 'nuxt',
    packages: ['nuxt@4.5.2'],
    build: ['node_modules/nuxt/bin/nuxt.mjs', 'build'],
    start: ['.output/server/index.mjs'],
    textStatus: 415,
  },
]

const why = process.env.LONG ? '' : ' (skipped: it installs up to 230 MB; runs with LONG=1)'

describe.skipIf(why).each(frameworks)(`examples/$name${why}`, (framework) => {
  it(`receives as it should: ${framework.start.at(-1)}`, { timeout: 900_000 }, async () => {
    // Three of them need Node 22 or later.
    const node = await fetchNode('24.21.0')
    const folder = await installBeside(framework.packages)
    if (framework.isProgram) {
      await copyExample(framework.name, folder)
    } else {
      await cp(join(root, 'examples', framework.name), folder, { recursive: true })
    }
    const env = {
      NODE_ENV: 'production' as const,
      ASTRO_TELEMETRY_DISABLED: '1',
      NUXT_TELEMETRY_DISABLED: '1',
    }
    if (framework.build) {
      await run(node, framework.build, { cwd: folder, env: { ...process.env, ...env } })
    }

    const port = await freePort()
    const url = `http://127.0.0.1:${port}/webhooks`
    const settings = { ...env, HOST: '127.0.0.1', PORT: String(port), WEBHOOK_SECRET: secret }
    const program = start(node, framework.start, settings, folder)
    await program.says(/listening on|http:\/\/localhost/i)
    // Elysia says so shortly before it is true.
    await expect.poll(() => statusOf(url), { timeout: 20_000 }).toBe(405)
    await expectVerdicts(url, program)

    const signed = await deliveryOf(unusual, { secret, id: 'evt_unusual' })
    expect(await send(url, signed)).toBe(200)
    const text = await deliveryOf(unusual, { secret, id: 'evt_text' })
    const headers = { ...text.headers, 'content-type': 'text/plain' }
    expect(await send(url, { ...text, headers })).toBe(framework.textStatus)
    await program.end('SIGTERM')
  })
})

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  )

/** JSON that any parser would write in another way: spaces, an escape, a number with zeros and a repeated key. */
const unusual = `\r\n { "id":"evt_unusual", "type" : "transfer.settled","createdAt":"2026-01-02T03:04:05Z",
  "environment":"sandbox", "data":{"transferId":"tr_\\u00e9é\u2028","amount":1.000,"amount":1e2,"status":"settled",
  "rail":"bank_transfer","ledgerState":"matched"} }\t`

async function send(url: string, { headers, body }: SignedBody): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })).status
}

/** The servers of some frameworks take 0 for “not set”. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
