import { afterAll, beforeAll, expect, it } from 'vitest'
import { testSender } from '../../src/testing/index.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { ensureBuilt } from './built.js'
import { expectCleanEnd, expectVerdicts, secret, startExample } from './deliveries.js'
import { expectOneTransaction } from './one-transaction.js'
import { start } from './program.js'

let server: PostgresServer
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
}, 180_000)
afterAll(() => server?.close())

it.each(['kysely', 'drizzle', 'knex', 'postgres-js'])(
  'examples/%s-transaction commits what a handler writes together with the mark, or neither',
  async (library) => {
    const env = { DATABASE_URL: await server.createDatabase(library.replace('-', '_')) }
    const { program, origin } = await startExample(`${library}-transaction/server.ts`, env)
    await expectVerdicts(`${origin}/webhooks`, program)
    await expectOneTransaction(`${origin}/webhooks`, env.DATABASE_URL)
    await expectCleanEnd(program)
  },
)

it('examples/kysely-transaction knows a done event after a restart', async () => {
  const env = { DATABASE_URL: await server.createDatabase('restarted') }
  const first = await startExample('kysely-transaction/server.ts', env)
  const settled = await testSender({ url: `${first.origin}/webhooks`, secret }).send('transfer.settled')
  expect(settled).toMatchObject({ status: 200, outcome: 'processed' })
  await expectCleanEnd(first.program)

  const again = await startExample('kysely-transaction/server.ts', env)
  const later = testSender({ url: `${again.origin}/webhooks`, secret })
  expect(await later.redeliver(settled)).toMatchObject({ status: 200, outcome: 'duplicate' })
  await expectCleanEnd(again.program)
})

it('examples/kysely-transaction says what is missing without a database', async () => {
  const args = ['--import', 'tsx', 'examples/kysely-transaction/server.ts']
  const program = start(process.execPath, args, { WEBHOOK_SECRET: secret })
  expect(await program.ended).toEqual({ code: 1, signal: null })
  expect(program.output()).toMatch(/^DATABASE_URL is not set\./)
})
