import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migratePostgres } from '../../src/stores/postgres.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { bundle, type Program } from '../setup/bundle.js'
import { fetchNode } from '../setup/fetch-node.js'

/** pg-boss 11 and 12 require Node 22. */
const node22 = '22.23.3'

let server: PostgresServer
let laws: Program
beforeAll(async () => {
  ;[server, laws] = await Promise.all([startPostgres(), bundle(join(import.meta.dirname, 'pg-boss-laws.ts'))])
})
afterAll(async () => {
  laws?.remove()
  await server?.close()
})

/** The newest. `LONG=1` adds the one before. The other tests use version 10. */
const versions = process.env.LONG ? ['11', '12'] : ['12']
if (!process.env.LONG) {
  console.log('the laws on pg-boss 11 are left out: set LONG=1')
}

it.each(versions)(
  'every law of a queue holds on pg-boss %s, on Node 22',
  async (version) => {
    const url = new URL(server.url)
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    // A second try of this test finds the database of the first.
    await admin.query(`DROP DATABASE IF EXISTS boss${version} WITH (FORCE)`)
    await admin.query(`CREATE DATABASE boss${version}`)
    await admin.end()
    url.pathname = `/boss${version}`
    const pool = new pg.Pool({ connectionString: url.href })
    await migratePostgres(pool)
    await pool.end()
    const node = await fetchNode(node22)
    const { stdout } = await promisify(execFile)(
      node,
      ['--test-reporter=tap', laws.path, version, url.href],
      {
        timeout: 170_000,
        maxBuffer: 10_000_000,
      },
    ).catch((error) => error as { stdout: string })
    expect(stdout).toMatch(/^# fail 0$/m)
    expect(stdout).toMatch(/^# cancelled 0$/m)
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(15)
  },
  180_000,
)
