import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { PostgresServer } from '../../test/servers/postgres.js'
import { quantile, shuffled } from './harness/compare.js'
import { table, title } from './harness/table.js'
import { newDatabase, startServer } from './postgres/server.js'
import { Contestant, type Entry } from './telemetry/contestant.js'
import { type ReceiveName, receiveNames } from './telemetry/receives.js'
import { before, none, variants } from './telemetry/variants.js'

/**
 * Measures the processor time of a receive of 1 kB with each telemetry, as a ratio to the same receive without one. Each
 * telemetry has its own process. The processes take turns in random order. The ratio is the median over the rounds, so a
 * slow moment of the machine does not change it. Two equal processes differ by some percent, so each is started several
 * times.
 *
 * `by hand` is what a program pays that records the same with the SDK: what this package adds is the rest. A host that traces
 * pays for its own span, and for the context that Node carries through every promise.
 *
 * `sqlite` and `postgres` are durable accepts, committed with fsync. For the figures that count, in about five minutes:
 * `npm run bench -- telemetry sqlite postgres --starts 3 --rounds 15 --only 'again|metrics|hand'`.
 *
 * `npm run bench -- telemetry memory --starts 5 --rounds 41` measures one kind of receive longer. `--before DIRECTORY` adds
 * the built package of another commit, and `--only PATTERN` leaves out other telemetries.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '21' },
    starts: { type: 'string', default: '3' },
    before: { type: 'string' },
    only: { type: 'string' },
  },
})
const [rounds, starts] = [Number(values.rounds), Number(values.starts)]
const own = fileURLToPath(new URL('../..', import.meta.url))

/** How many deliveries a turn takes, for turns of 50 to 200 ms. */
const perTurn: Readonly<Record<ReceiveName, number>> = {
  memory: 2000,
  sqlite: 500,
  worker: 300,
  postgres: 500,
  express: 1000,
}

const matching = variants.filter(({ name }) => new RegExp(values.only ?? '').test(name))
const chosen = variants.filter(
  (each) => each === none || matching.some(({ name, base }) => [name, base].includes(each.name)),
)
const entries: readonly Omit<Entry, 'database'>[] = [
  ...chosen.map((variant) => ({ variant, directory: own })),
  ...(values.before ? [{ variant: before, directory: resolve(values.before) }] : []),
]

/** The costs of each entry by round, of one start of all processes. */
async function costsOf(receive: ReceiveName, server: PostgresServer | undefined): Promise<number[][]> {
  const contestants: Contestant[] = []
  for (const entry of entries) {
    const database = server && (await newDatabaseUrl(server))
    contestants.push(await Contestant.start(receive, { ...entry, database }))
  }
  // The optimizing compiler is done after some of these.
  for (let round = -8; round < rounds; round++) {
    for (const index of shuffled(contestants.length)) {
      const contestant = contestants[index] as Contestant
      const cost = await contestant.turn(perTurn[receive])
      if (round >= 0) {
        contestant.costs.push(cost)
      }
    }
  }
  for (const contestant of contestants) {
    await contestant.stop()
  }
  return contestants.map(({ costs }) => costs)
}

async function newDatabaseUrl(server: PostgresServer): Promise<string> {
  const pool = await newDatabase(server, 1)
  await pool.end()
  return pool.options.connectionString as string
}

async function measure(receive: ReceiveName): Promise<void> {
  const server = receive === 'postgres' ? await startServer() : undefined
  try {
    const runs: number[][][] = []
    for (let start = 0; start < starts; start++) {
      runs.push(await costsOf(receive, server))
    }
    report(receive, runs)
  } finally {
    await server?.close()
  }
}

function report(receive: ReceiveName, runs: readonly number[][][]): void {
  const indexOf = (name: string) => entries.findIndex(({ variant }) => variant.name === name)
  const ratios = (index: number, to: number) =>
    runs.map((costs) =>
      median((costs[index] as number[]).map((cost, round) => cost / (costs[to]?.[round] as number))),
    )
  table(
    [receive, 'processor', 'ratio to', 'ratio', 'of each start'],
    entries.map(({ variant: { name, base } }, index) => {
      const each = ratios(index, indexOf(base))
      return [
        name,
        `${median(runs.flatMap((costs) => costs[index] as number[])).toFixed(1)} µs`,
        base,
        median(each).toFixed(3),
        each.map((ratio) => ratio.toFixed(3)).join(' '),
      ]
    }),
  )
}

const median = (samples: readonly number[]) => quantile(samples, 0.5)

title('What telemetry costs a receive of 1 kB')
for (const receive of receiveNames) {
  if (positionals.length === 0 || positionals.includes(receive)) {
    await measure(receive)
  }
}
