import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createTable, type DynamoServer, startDynamo } from '../servers/dynamodb.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { type RedisServer, startRedis } from '../servers/redis.js'
import { root } from './imports.js'

/**
 * The lowest version of every range that package.json declares, tested by peers.mjs. The highest versions are the
 * development dependencies, which test/adapters and test/stores use.
 */
const lowest = [
  {
    express: '4.18.0',
    fastify: '5.0.0',
    koa: '3.0.0',
    ioredis: '5.4.0',
    pg: '8.0.3',
    libsql: '0.5.1',
    '@opentelemetry/api': '1.9.0',
    '@aws-sdk/client-dynamodb': '3.600.0',
  },
  { express: '5.0.0', ioredis: '6.0.0', redis: '6.0.0' },
]

/** Declared peers that are not tested here, with the reason. */
const elsewhere: Readonly<Record<string, string>> = {
  next: 'installs half a gigabyte; test/adapters/next.test.ts builds and serves an application with it',
  bullmq: 'the tests of the queues run on 6, and npm run test:engines runs the laws on 5',
  'pg-boss': 'one line is declared, and the tests of the queues run on it',
}

const run = promisify(execFile)
const why = process.env.LONG ? '' : ' (skipped: it installs every peer from the registry; runs with LONG=1)'

describe('the peers', () => {
  let dynamo: DynamoServer
  let redis: RedisServer
  let postgres: PostgresServer
  beforeAll(async () => {
    if (why) {
      return
    }
    dynamo = await startDynamo()
    await createTable(dynamo.connect(), 'webhook-inbox')
    redis = await startRedis()
    postgres = await startPostgres()
  })
  afterAll(() => Promise.all([dynamo?.close(), redis?.close(), postgres?.close()]))

  it('are tested at the lowest version of each declared range', async () => {
    const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    for (const [name, range] of Object.entries<string>(peerDependencies)) {
      if (name in elsewhere) {
        continue
      }
      const versions = lowest.flatMap((set) => (set as Record<string, string>)[name] ?? [])
      expect(versions.map((version) => `^${version}`).join(' || '), name).toBe(range)
    }
  })

  it.skipIf(why).each(lowest)(`work with %o${why}`, async (versions) => {
    const folder = await mkdtemp(join(tmpdir(), 'webhook-inbox-peers-'))
    try {
      const dependencies = { ...versions, 'webhook-inbox': inject('tarball') }
      await writeFile(
        join(folder, 'package.json'),
        JSON.stringify({ private: true, type: 'module', dependencies }),
      )
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
      await run('npm', ['install', ...quiet], { cwd: folder, shell: process.platform === 'win32' })
      await copyFile(join(root, 'test/package/peers.mjs'), join(folder, 'peers.mjs'))

      const env = {
        ...process.env,
        DYNAMO_URL: dynamo.endpoint,
        REDIS_URL: `redis://127.0.0.1:${redis.port}`,
        POSTGRES_URL: postgres.url,
      }
      const { stdout } = await run(process.execPath, ['peers.mjs'], { cwd: folder, env, timeout: 60_000 })

      expect(stdout.trim().split('\n').sort()).toEqual(
        Object.keys(versions)
          .map((name) => `ok: ${name}`)
          .sort(),
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
