import pg from 'pg'
import { migratePostgres } from 'webhook-inbox/stores/postgres'
import { type DurableFramework, variants } from './durable/contenders.js'
import { quantile, shuffled } from './harness/compare.js'
import { table, title } from './harness/table.js'
import { deliveries } from './http/deliveries.js'
import { Load } from './http/load.js'
import { ServerProcess } from './http/process.js'
import { startServer } from './postgres/server.js'

/**
 * Measures the whole accept over HTTP: a delivery is committed to Postgres before its response. Beside it stands a handler by
 * hand, which verifies, parses and inserts one row through a pool.
 *
 *     npm run bench -- durable
 */
const connections = 50
const requestsPerTurn = 1000
const warmUpTurns = 3
const rounds = 15

title('Durable accepts over HTTP: Postgres with fsync on, 50 connections, 1 kB, every event new')
const database = await startServer()
process.env.BENCH_DATABASE = database.url
const pool = new pg.Pool({ connectionString: database.url, max: 1 })
await migratePostgres(pool)
await pool.query('CREATE TABLE inbox (id text PRIMARY KEY, type text NOT NULL, body bytea NOT NULL)')

async function kept(): Promise<number> {
  const { rows } = await pool.query(
    'SELECT (SELECT count(*) FROM inbox)::int + (SELECT count(*) FROM webhook_inbox.events)::int AS count',
  )
  return rows[0].count
}

async function open(framework: DurableFramework, variant: string) {
  const server = new ServerProcess(framework, variant, [], '../durable/server.ts')
  const { port } = await server.listening()
  const load = await Load.open(port, connections)
  return { server, load, cpu: [] as number[], rates: [] as number[] }
}

type Contestant = Awaited<ReturnType<typeof open>>

async function turn({ server, load, cpu, rates }: Contestant): Promise<void> {
  const requests = deliveries(requestsPerTurn)
  const [before, keptBefore] = [await server.state(), await kept()]
  const startedAt = performance.now()
  await load.send(requests)
  const seconds = (performance.now() - startedAt) / 1000
  const after = await server.state()
  if ((await kept()) - keptBefore !== requests.length) {
    throw new Error('a delivery was answered and not kept')
  }
  cpu.push((after.cpuMicroseconds - before.cpuMicroseconds) / requests.length)
  rates.push(requests.length / seconds)
}

for (const framework of ['express', 'fastify'] as const) {
  const contestants = await Promise.all(variants.map((variant) => open(framework, variant)))
  for (let round = -warmUpTurns; round < rounds; round++) {
    for (const index of shuffled(contestants.length)) {
      await turn(contestants[index] as Contestant)
    }
  }
  const measured = contestants.map(
    ({ cpu, rates }) => [cpu.slice(warmUpTurns), rates.slice(warmUpTurns)] as const,
  )
  const [byHand] = measured
  const ratio = (own: readonly number[], other: readonly number[]) =>
    quantile(
      own.map((each, round) => each / (other[round] as number)),
      0.5,
    ).toFixed(2)
  table(
    [framework, 'CPU/request', 'ratio', 'requests/s', 'ratio'],
    measured.map(([cpu, rates], index) => [
      variants[index] as string,
      `${quantile(cpu, 0.5).toFixed(0)} µs`,
      ratio(cpu, byHand?.[0] ?? []),
      Math.round(quantile(rates, 0.5)),
      ratio(rates, byHand?.[1] ?? []),
    ]),
  )
  for (const { server, load } of contestants) {
    load.close()
    await server.stop()
  }
}
await pool.end()
await database.close()
