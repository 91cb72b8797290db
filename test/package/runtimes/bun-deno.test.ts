import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { testSender } from '../../../src/testing/index.js'
import { start } from '../../examples/program.js'
import { startPostgres } from '../../servers/postgres.js'
import { startRedis } from '../../servers/redis.js'
import { root } from '../imports.js'
import { fetchRuntime } from './fetch-runtime.js'

const run = promisify(execFile)
const secret = 'whsec_runtimes_secret'

/** The packed package, with the drivers that a user installs beside it. */
const folder = join(inject('consumer'), '..', 'runtimes')
const programs = ['conformance.mjs', 'samples.mjs', 'laws.mjs', 'serve.mjs']

beforeAll(async () => {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...quiet, inject('tarball'), 'pg', 'ioredis'], { cwd: folder })
  const beside = (name: string) => copyFile(join(root, 'test/package/runtimes', name), join(folder, name))
  await Promise.all(programs.map(beside))
})

const servers: { close(): Promise<unknown> }[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

async function postgresUrl(): Promise<string> {
  const server = await startPostgres()
  servers.push(server)
  return server.url
}

async function redisUrl(): Promise<string> {
  const server = await startRedis({ appendonly: 'yes' })
  servers.push(server)
  return `redis://127.0.0.1:${server.port}`
}

let files = 0
const newFile = () => join(folder, `inbox-${files++}.sqlite`)

describe.each(['Bun', 'Deno'] as const)('%s', (name) => {
  async function execute(program: string, ...args: string[]) {
    const [command, ...before] = await fetchRuntime(name)
    const { stdout } = await run(command, [...before, join(folder, program), ...args], { timeout: 110_000 })
    return stdout
  }

  it('passes the conformance program', async () => {
    expect(await execute('conformance.mjs')).toMatch(/^[1-9]\d* passed on Node /m)
  })

  const laws = [
    { store: 'sqliteStore', kind: 'sqlite', address: newFile },
    { store: 'postgresStore', kind: 'postgres', address: postgresUrl },
    { store: 'redisStore', kind: 'redis', address: redisUrl },
  ]
  for (const { store, kind, address } of laws) {
    const reason = process.env.LONG ? '' : ' (skipped: runs with LONG=1)'
    it.skipIf(reason)(`holds every law of a store with ${store}${reason}`, async () => {
      expect(await execute('laws.mjs', kind, await address())).toMatch(/^([1-9]\d*) of \1 laws hold\n$/)
    })
  }

  it('verifies, runs once and deduplicates over a socket, also after kill -9', async () => {
    const [command, ...before] = await fetchRuntime(name)
    const file = newFile()
    const serve = () =>
      start(command, [...before, join(folder, 'serve.mjs'), file], { WEBHOOK_SECRET: secret })
    async function senderTo(program: ReturnType<typeof serve>) {
      const [, port] = await program.says(/^port (\d+)$/m)
      return testSender({ url: `http://127.0.0.1:${port}/webhooks`, secret })
    }

    const first = serve()
    const sender = await senderTo(first)
    const accepted = await sender.send('transfer.settled')
    expect(accepted).toMatchObject({ status: 200, outcome: 'accepted' })
    expect(await sender.redeliver(accepted)).toMatchObject({ status: 200, outcome: 'duplicate' })
    const forged = await sender.prepare('transfer.settled')
    expect(await sender.deliver({ ...forged, body: Buffer.from(`${forged.body} `) })).toMatchObject({
      status: 401,
      code: 'signature_mismatch',
    })
    await first.says(new RegExp(`^ran ${accepted.delivery.event.id}$`, 'm'))
    await first.end('SIGKILL')

    const second = serve()
    const again = await senderTo(second)
    expect(await again.redeliver(accepted)).toMatchObject({ status: 200, outcome: 'duplicate' })
    const next = await again.send('transfer.settled')
    await second.says(new RegExp(`^ran ${next.delivery.event.id}$`, 'm'))
    expect(second.output()).not.toContain(accepted.delivery.event.id)
    await second.end('SIGKILL')
  })
})
