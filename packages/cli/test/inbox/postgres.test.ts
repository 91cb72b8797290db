import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../../test/servers/postgres.js'
import { builtProgram } from '../built.js'
import { programs, run, toldOf } from './rig.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
  process.env.INBOX_POSTGRES = server.url
})
afterAll(() => server?.close())

const query = async (sql: string) => {
  const client = new Client(server.url)
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

describe.each(['receiver-on-postgres.ts', 'starting-on-postgres.ts'])('%s', (module) => {
  const inbox = async (...args: string[]) =>
    run(await builtProgram(), ['inbox', ...args, '--receiver', programs(module)])

  beforeEach(() => query('DROP SCHEMA IF EXISTS webhook_inbox CASCADE'))

  it('explains how to migrate if the tables are missing, and migrates', async () => {
    for (const args of [['list'], ['health'], ['replay', 'evt_1', '--reason', 'r']]) {
      const { code, stderr } = await inbox(...args)
      expect(stderr).toContain('run webhook-inbox inbox migrate')
      expect(code).toBe(2)
    }
    expect(await inbox('migrate')).toMatchObject({ code: 0, stdout: 'The tables were created.\n' })
    expect(await inbox('migrate')).toMatchObject({ code: 0, stdout: 'The tables are up to date.\n' })
    expect(await inbox('migrate', '--json')).toMatchObject({ code: 0, stdout: '{"isMigrated":true}\n' })
    expect(await inbox('list')).toMatchObject({ code: 0, stdout: '' })
  })

  it('upgrades the tables of an earlier version', async () => {
    const { postgresMigrations } = await import('webhook-inbox/stores/postgres')
    const [, ...rest] = [...postgresMigrations()].reverse()
    for (const { sql } of rest.reverse()) {
      await query(sql)
    }
    expect(await inbox('migrate')).toMatchObject({ code: 0, stdout: 'The tables are up to date.\n' })
    expect(await inbox('list')).toMatchObject({ code: 0, stdout: '' })
  })
})

it('names the export that a module on Postgres lacks', async () => {
  const args = ['inbox', 'migrate', '-r', programs('receiver-without-migrate.ts')]
  const ran = await run(await builtProgram(), args)
  expect(toldOf(ran)).toContain('export const migrate = () => migratePostgres(pool)')
  expect(ran).toMatchObject({ code: 2, stdout: '' })
})

it('says that migrate does not create the schema of the store', async () => {
  process.env.INBOX_SCHEMA = 'elsewhere'
  try {
    const ran = await run(await builtProgram(), [
      'inbox',
      'migrate',
      '-r',
      programs('receiver-on-postgres.ts'),
    ])
    expect(toldOf(ran)).toContain('give migratePostgres the schema of the store')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
  } finally {
    delete process.env.INBOX_SCHEMA
  }
})

describe.each(['receiver-on-postgres.ts', 'starting-on-postgres.ts'])(
  'a server that is down: %s',
  (module) => {
    beforeAll(() => server.stop('fast'))
    afterAll(() => server.start())

    it.each([['list'], ['migrate']])('ends inbox %s with 3 and one line', async (command) => {
      const ran = await run(await builtProgram(), ['inbox', command, '--receiver', programs(module)])
      expect(toldOf(ran)).toMatch(/^webhook-inbox: the store cannot be reached: .*\S$/)
      expect(ran.code).toBe(3)
    })
  },
)
