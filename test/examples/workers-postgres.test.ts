import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testSender } from '../../src/testing/index.js'
import { type PostgresServer, startPostgres } from '../servers/postgres.js'
import { ensureBuilt } from './built.js'
import { expectCleanEnd, secret, startExample } from './deliveries.js'
import { start } from './program.js'

let server: PostgresServer
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
})
afterAll(() => server?.close())

const startProgram = (name: string) =>
  start(process.execPath, ['--import', 'tsx', `examples/workers-postgres/${name}.ts`], {
    WEBHOOK_SECRET: secret,
    DATABASE_URL: server.url,
  })

async function credits(): Promise<{ transfer: string; worker: number }[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query('SELECT transfer, worker FROM credits')
  await client.end()
  return rows
}

it('examples/workers-postgres: what two servers accept, two workers run once, one of them killed on the way', async () => {
  expect(await startProgram('migrate').ended).toEqual({ code: 0, signal: null })
  const env = { DATABASE_URL: server.url }
  const servers = await Promise.all([1, 2].map(() => startExample('workers-postgres/server.ts', env)))
  const workers = [startProgram('worker'), startProgram('worker')] as const
  await Promise.all(workers.map((worker) => worker.says(/^working$/m)))

  const senders = servers.map(({ origin }) => testSender({ url: `${origin}/webhooks`, secret }))
  const transfers = Array.from({ length: 60 }, (_, i) => `tr_${i}`)
  const answers = await Promise.all(
    transfers.map(async (transferId, i) => {
      const answer = await senders[i % 2]?.send('transfer.settled', { transferId })
      if (i === 30) {
        await workers[0].end('SIGKILL')
      }
      const again = await senders[(i + 1) % 2]?.redeliver(answer as NonNullable<typeof answer>)
      return [answer?.outcome, again?.outcome]
    }),
  )
  expect(answers).toEqual(transfers.map(() => ['accepted', 'duplicate']))

  await expect
    .poll(async () => (await credits()).map(({ transfer }) => transfer).sort(), { timeout: 100_000 })
    .toEqual([...transfers].sort())
  for (const { program } of servers) {
    await expectCleanEnd(program)
  }
  await expectCleanEnd(workers[1])
  expect(await credits()).toHaveLength(60)
})
