import { parseArgs } from 'node:util'
import { createReceiver, type Receiver, type Store } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { bodyOf, headerOf, secret } from './harness/bodies.js'
import { quantile, shuffled } from './harness/compare.js'
import { driver, openIn, scratch } from './harness/sqlite-files.js'
import { duration, table, title } from './harness/table.js'
import { latencies } from './harness/traffic.js'
import { fillPostgres } from './operate/postgres.js'
import { fillSqlite } from './operate/sqlite.js'
import { newDatabase, startServer } from './postgres/server.js'

/**
 * Measures how long accepts take beside each function of an operator, as a ratio to accepts alone. Phases alternate in
 * random order, so that a busy machine slows all of them. A ratio is the median over the rounds, because the p99 of one phase is
 * that of few accepts. Nothing runs beside `alone, again`: how far its ratio is from 1 is chance. A tenth of the events is dead.
 *
 * `npm run bench -- operations` takes about five minutes for each store. `npm run bench -- operations sqlite --only
 * statistics,run --events 1000000 --rounds 20` measures two functions longer. `--every` is the pause between two calls of a function,
 * in milliseconds.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '5' },
    every: { type: 'string', default: '500' },
    only: { type: 'string' },
  },
})
const [events, rounds, seconds, every] = [values.events, values.rounds, values.seconds, values.every].map(
  Number,
) as [number, number, number, number]
const perSecond = 100
const audit = { reason: 'bench', actor: 'bench' }

let made = 0
let lastId = ''

async function accept(receiver: Receiver): Promise<void> {
  const id = `evt_bench_${++made}`
  const body = bodyOf(1000, id)
  const headers = {
    'content-type': 'application/json',
    'service-signature': headerOf(body),
    'service-event-id': id,
  }
  const { outcome } = await receiver.receive({ method: 'POST', headers, body })
  if (outcome !== 'accepted') {
    throw new Error(`the delivery was ${outcome}`)
  }
  lastId = id
}

type Operation = (receiver: Receiver) => Promise<unknown>

/** What is called again and again beside the accepts. */
const operations: Readonly<Record<string, Operation>> = {
  plan: (receiver) => receiver.plan({ action: 'replay' }),
  failures: (receiver) => receiver.failures(),
  explain: (receiver) => receiver.explain(lastId),
  statistics: (receiver) => receiver.statistics({ since: new Date(Date.now() - 86_400_000) }),
}

/** Starts what works beside the accepts. Resolves to how to end it. */
async function begin(receiver: Receiver, name: string): Promise<() => Promise<unknown>> {
  if (name === 'run') {
    const plan = await receiver.plan({ action: 'discard' })
    const run = await receiver.run(plan, audit)
    return () => run.cancel(audit)
  }
  const operation = operations[name]
  let isOver = operation === undefined
  async function repeat(): Promise<void> {
    while (!isOver) {
      await operation?.(receiver)
      await new Promise((resolve) => setTimeout(resolve, every))
    }
  }
  const repeating = repeat()
  return () => {
    isOver = true
    return repeating
  }
}

async function measure(store: Store<never>): Promise<void> {
  const queue = localQueue({ onError() {} })
  const receiver = createReceiver({ secret, store, queue, logger: false, fallback() {} } as never)
  await receiver.start({ consume: false })
  await latencies({ perSecond, seconds }, () => accept(receiver))
  const all = [...Object.keys(operations), 'run']
  const names = [
    'alone',
    'alone, again',
    ...all.filter((name) => values.only?.split(',').includes(name) ?? true),
  ]
  const taken = names.map((): number[][] => [])
  for (let round = 0; round < rounds; round++) {
    for (const index of shuffled(names.length)) {
      const end = await begin(receiver, names[index] as string)
      taken[index]?.push(await latencies({ perSecond, seconds }, () => accept(receiver)))
      await end()
    }
  }
  const [alone] = taken as [number[][]]
  const cell = (own: number[][], part: number) => duration(quantile(own.flat(), part))
  const ratio = (own: number[][], part: number) => {
    const each = own.map((phase, round) => quantile(phase, part) / quantile(alone[round] as number[], part))
    return quantile(each, 0.5).toFixed(2)
  }
  table(
    ['accepts beside', 'median', 'p99', 'ratio of medians', 'ratio of p99', 'of all p99'],
    names.map((name, index) => {
      const own = taken[index] as number[][]
      const ofAll = quantile(own.flat(), 0.99) / quantile(alone.flat(), 0.99)
      return [name, cell(own, 0.5), cell(own, 0.99), ratio(own, 0.5), ratio(own, 0.99), ofAll.toFixed(2)]
    }),
  )
  await receiver.stop({ drainSeconds: 1 })
}

const stores: Readonly<Record<string, () => Promise<void>>> = {
  async sqlite() {
    title(`Accepts beside operations: SQLite (${driver}), ${events.toLocaleString('en-US')} events of 1 kB`)
    const database = openIn(scratch(), 'operations')
    const store = sqliteStore(database)
    await store.check()
    fillSqlite(database, events, Date.now())
    await measure(store as unknown as Store<never>)
    await store.close()
    database.close()
  },

  async postgres() {
    title(`Accepts beside operations: Postgres (fsync on), ${events.toLocaleString('en-US')} events of 1 kB`)
    const server = await startServer()
    try {
      const pool = await newDatabase(server, 20)
      await fillPostgres(pool, events)
      await measure(postgresStore({ pool }) as unknown as Store<never>)
      await pool.end()
    } finally {
      await server.close()
    }
  },
}

for (const [name, start] of Object.entries(stores)) {
  if (positionals.length === 0 || positionals.includes(name)) {
    await start()
  }
}
