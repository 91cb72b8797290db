import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Receiver } from '../../src/index.js'
import { fixture, tamper } from '../../src/testing/index.js'
import { bufferedUploads } from './buffered-uploads.js'
import { installPackage } from './install-package.js'
import { joinedHeaders } from './joined-headers.js'
import { deliver, request } from './suite/http.js'
import { rig } from './suite/rig.js'
import { secret, signed } from './suite/signed.js'
import { adapterSuite, type Deviation } from './suite.js'

const app = fileURLToPath(new URL('next-app', import.meta.url))
const cli = fileURLToPath(new URL('../../node_modules/next/dist/bin/next', import.meta.url))
const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const

/** Where the routes of the app find the receiver of a test (next-app/mounted.js). */
const mounted = new Map<string, Receiver>()
Object.assign(globalThis, { [Symbol.for('webhook-inbox.test.mounted')]: mounted })

let server: Server
let base: string

beforeAll(async () => {
  await rm(join(app, '.next'), { recursive: true, force: true })
  await installPackage(app)
  await promisify(execFile)(process.execPath, [cli, 'build'], { cwd: app, env })

  Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' })
  const { default: next } = await import('next')
  const production = (next as unknown as typeof next.default)({ dev: false, dir: app })
  await production.prepare()
  const handle = production.getRequestHandler()
  server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}, 180_000)

afterAll(() => {
  server?.close()
  server?.closeAllConnections()
})

/** Mounts a receiver in the server that all tests share. Each has its own name in the url. */
const mountAt = (route: string) => (receiver: Receiver) => {
  const name = randomUUID()
  mounted.set(name, receiver)
  return { url: `${base}/${route}/${name}/webhooks`, close: () => mounted.delete(name) }
}

const rewrittenQuery: Deviation = {
  reason: 'Next writes the query of a dynamic route anew: %20 arrives as + (what it means is tried below)',
  tests: ['a secret resolver gets the url and the headers of the request'],
}
const buffers = bufferedUploads('a proxy of Next')

adapterSuite('Next, app router, in a production build', mountAt('app'), {
  skip: [joinedHeaders, rewrittenQuery],
})

adapterSuite('Next, pages router, in a production build', mountAt('api/raw'), {
  ownsConnection: true,
  skip: [rewrittenQuery],
})

describe('behind a proxy of Next, which reads the body and passes on a copy', () => {
  adapterSuite('app router', mountAt('proxied/app'), { skip: [joinedHeaders, rewrittenQuery, buffers] })
  adapterSuite('pages router', mountAt('proxied/api/raw'), { skip: [rewrittenQuery, buffers] })
})

test.each(['app', 'api/raw'])('a secret resolver sees path and query: %s', async (route) => {
  const seen: URL[] = []
  const { url } = await rig(mountAt(route), {
    secret: (request) => {
      seen.push(new URL(request.url as string, base))
      return secret
    },
  })
  expect((await deliver(`${url}?tenant=a%20b`, await signed())).status).toBe(200)
  expect(seen.map(({ origin, pathname }) => origin + pathname)).toEqual([url])
  expect(seen[0]?.searchParams.get('tenant')).toBe('a b')
})

test('the pages router with its body parser on answers immediately, and the log has the cause', async () => {
  const { url, ran, results, log, storeCalls } = await rig(mountAt('api/parsed'))
  const answer = await deliver(url, await signed())
  expect([answer.status, answer.json]).toEqual([500, { outcome: 'failed', code: 'body_already_read' }])
  expect([ran.length, storeCalls(), results.length]).toEqual([0, 0, 1])
  expect(log.join()).toMatch(/body_already_read.*likely cause.*fix:/)
})

describe('next start, with the receiver bundled by Next', () => {
  let child: ChildProcess
  let url: string
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'next-'))
    child = spawn(process.execPath, [cli, 'start', '--port', '0', '--hostname', '127.0.0.1'], {
      cwd: app,
      env: { ...env, INBOX_DATABASE: join(folder, 'inbox.sqlite') },
    })
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)
      if (!found) {
        continue
      }
      url = found[0]
      break
    }
    child.stdout?.resume()
  })

  afterAll(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })

  test('an edge bundle contains WebCrypto, but neither node:crypto nor the body reader for Node', async () => {
    const folder = join(app, '.next/server/edge/chunks')
    const files = (await readdir(folder)).filter((file) => file.endsWith('.js'))
    const code = (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join()
    expect(code).toContain('crypto.subtle')
    expect(code).not.toMatch(/raw-body|timingSafeEqual/)
  })

  // `sqlite` runs in Node, beside an installed libsql.
  test.each(['node', 'sqlite', 'edge'])('the %s route receives once, and rejects', async (runtime) => {
    const target = `${url}/${runtime}/webhooks`
    const delivery = await fixture('transfer.settled')
    const send = async (sent: { headers: Readonly<Record<string, string>>; body: Uint8Array }) => {
      const { status, json } = await request(target, { headers: { ...sent.headers }, body: sent.body })
      return [status, json?.code ?? json?.outcome]
    }
    expect(await send(delivery)).toEqual([200, 'processed'])
    expect(await send(delivery)).toEqual([200, 'duplicate'])
    expect(await send(tamper.body(delivery))).toEqual([401, 'signature_mismatch'])
    expect(await send(tamper.dropHeader(delivery, 'service-signature'))).toEqual([401, 'missing_signature'])
    const stale = await fixture('transfer.settled', { ageSeconds: 310 })
    expect(await send(stale)).toEqual([401, 'timestamp_out_of_tolerance'])
  })
})
