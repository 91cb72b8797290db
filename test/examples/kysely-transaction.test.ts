import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testSender } from '../../src/testing/index.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { ensureBuilt } from './built.js'
import { expectCleanEnd, expectVerdicts, secret, startExample } from './deliveries.js'
import { start } from './program.js'

let server: PostgresServer
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
}, 180_000)
afterAll(() => server?.close())

const file = 'kysely-transaction/server.ts'

async function statusOf(transfer: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query('SELECT status FROM transfers WHERE id = $1', [transfer])
  await client.end()
  return rows[0]?.status
}

it('examples/kysely-transaction commits what a handler writes together with the mark', async () => {
  const { program, origin } = await startExample(file, { DATABASE_URL: server.url })
  await expectVerdicts(`${origin}/webhooks`, program)

  const sender = testSender({ url: `${origin}/webhooks`, secret })
  const transferId = 'tr_kysely'
  const failed = await sender.send('transfer.failed', { transferId, failureCode: 'bank_unreachable' })
  expect(failed).toMatchObject({ status: 500, code: 'handler_failed' })
  expect(await statusOf(transferId)).toBeUndefined()
  const settled = await sender.send('transfer.settled', { transferId })
  expect(settled).toMatchObject({ status: 200, outcome: 'processed' })
  expect(await statusOf(transferId)).toBe('settled')
  await expectCleanEnd(program)

  const again = await startExample(file, { DATABASE_URL: server.url })
  const later = testSender({ url: `${again.origin}/webhooks`, secret })
  expect(await later.redeliver(settled)).toMatchObject({ status: 200, outcome: 'duplicate' })
  await expectCleanEnd(again.program)
})

it('examples/kysely-transaction says what is missing without a database', async () => {
  const program = start(process.execPath, ['--import', 'tsx', `examples/${file}`], { WEBHOOK_SECRET: secret })
  expect(await program.ended).toEqual({ code: 1, signal: null })
  expect(program.output()).toMatch(/^DATABASE_URL is not set\./)
})
