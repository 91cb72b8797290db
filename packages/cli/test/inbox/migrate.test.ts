import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../../test/servers/postgres.js'
import { webhookInbox } from '../in-process.js'
import { programs } from './rig.js'

const folder = mkdtempSync(join(import.meta.dirname, 'migrated-'))
const pools: Pool[] = []
Object.assign(globalThis, { pools })
let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
  process.env.INBOX_DATABASE = join(folder, 'inbox.db')
}, 60_000)
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await server?.close()
  rmSync(folder, { recursive: true })
  delete process.env.WEBHOOK_INBOX_CLI
})

let count = 0
/** A module of its own for each command, because a command closes what its module has opened. */
function saved(migrate = 'export const migrate = () => migratePostgres(pool)', schema = ''): string {
  const path = join(folder, `receiver-${count++}.mjs`)
  writeFileSync(
    path,
    `import pg from 'pg'
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { migratePostgres, postgresStore } from 'webhook-inbox/stores/postgres'
const pool = new pg.Pool({ connectionString: '${server.url}' })
globalThis.pools.push(pool)
export const receiver = createReceiver({
  secret: 'whsec_of_the_inbox_tests',
  store: postgresStore({ pool${schema && `, schema: '${schema}'`} }),
  queue: localQueue(),
  fallback() {},
  logger: false,
})
${migrate}
`,
  )
  return path
}

async function inbox(args: readonly string[], module = saved()) {
  const printed = await webhookInbox(['inbox', ...args, '-r', module], {
    env: process.env as Record<string, string>,
  })
  return { code: printed.code, stdout: printed.stdout, stderr: printed.stderr }
}

const query = async (sql: string) => {
  const client = new Client(server.url)
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

describe('inbox migrate on Postgres', () => {
  it('creates the tables, without which every command says so, and then finds them up to date', async () => {
    await query('DROP SCHEMA IF EXISTS webhook_inbox CASCADE')
    const missing = {
      code: 2,
      stdout: '',
      stderr:
        'webhook-inbox: the tables of the store are missing or old: run webhook-inbox inbox migrate\nSee webhook-inbox inbox list --help.\n',
    }
    expect(await inbox(['list'])).toEqual(missing)
    expect(await inbox(['migrate'])).toEqual({ code: 0, stdout: 'The tables were created.\n', stderr: '' })
    expect(await inbox(['migrate'])).toEqual({ code: 0, stdout: 'The tables are up to date.\n', stderr: '' })
    expect(await inbox(['migrate', '--json'])).toEqual({
      code: 0,
      stdout: '{"isMigrated":true}\n',
      stderr: '',
    })
    expect(await inbox(['list'])).toEqual({ code: 0, stdout: '', stderr: '' })
  }, 60_000)

  it('names the export that the module lacks', async () => {
    expect(await inbox(['migrate'], saved(''))).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'webhook-inbox: the module exports no migrate, which a Postgres store needs: export const migrate = () => migratePostgres(pool), with { schema } if the store has one\nSee webhook-inbox inbox migrate --help.\n',
    })
  })

  it('says that the migration does not create the schema of the store', async () => {
    const elsewhere = saved('export const migrate = () => migratePostgres(pool)', 'elsewhere')
    expect(await inbox(['migrate'], elsewhere)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'webhook-inbox: `migrate` has run, but the store still has no tables: give migratePostgres the schema of the store\nSee webhook-inbox inbox migrate --help.\n',
    })
  })

  it('exits with 3 where the server is down', async () => {
    const module = saved()
    await server.stop('fast')
    const { code, stderr } = await inbox(['migrate'], module)
    await server.start()
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^webhook-inbox: the store cannot be reached: .*\S\n$/),
    ])
  }, 60_000)
})

describe('inbox migrate', () => {
  it('has nothing to do on SQLite', async () => {
    // The command line never makes a file of SQLite.
    writeFileSync(join(folder, 'inbox.db'), '')
    expect(await inbox(['migrate'], programs('receiver.mjs'))).toMatchObject({
      code: 0,
      stdout: 'SQLite upgrades itself; nothing to do.\n',
    })
  })

  it('prints its SQL without a module', async () => {
    const { postgresMigrations } = await import('webhook-inbox/stores/postgres')
    for (const schema of [undefined, 'hooks']) {
      const args = ['inbox', 'migrate', '--print-sql', ...(schema ? ['--schema', schema] : [])]
      const { code, stdout } = await webhookInbox(args)
      const expected = postgresMigrations(schema).map(({ version, sql }) => `-- version ${version}\n${sql}\n`)
      expect([code, stdout]).toEqual([0, expected.join('')])
    }
    const named = await inbox(['migrate', '--print-sql', '--schema', 'hooks'], 'none.mjs')
    expect([named.code, named.stdout]).toEqual([0, expect.stringContaining('"hooks"')])
  })

  it.each([
    [['--print-sql'], '--print-sql does not load the module: name the schema of the store with --schema'],
    [
      ['--schema', 'hooks'],
      '--schema is for --print-sql: otherwise `migrate` of the module names the schema',
    ],
  ])('%j needs more or less', async (args, message) => {
    expect(await inbox(['migrate', ...args], 'none.mjs')).toEqual({
      code: 2,
      stdout: '',
      stderr: `webhook-inbox: ${message}\nSee webhook-inbox inbox migrate --help.\n`,
    })
  })
})
