import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../../test/servers/postgres.js'
import { builtProgram } from '../built.js'
import { programs, run } from './rig.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
  process.env.INBOX_POSTGRES = server.url
})
afterAll(() => server?.close())

const inbox = async (...args: string[]) =>
  run(await builtProgram(), ['inbox', ...args, '--receiver', programs('receiver-on-postgres.ts')])

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

it('exits with 3 if the server does not answer', async () => {
  await server.stop('fast')
  const { code, stderr } = await inbox('list')
  expect(stderr).toContain('the store cannot be reached')
  expect(code).toBe(3)
})
