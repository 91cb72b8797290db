import { parseArgs } from 'node:util'
import { startRedis } from '../../test/servers/redis.js'
import { title } from './harness/table.js'
import { startServer } from './postgres/server.js'
import { benchAccept } from './queues/accept.js'
import { bareBullMq, sameBullMq } from './queues/bullmq-by-hand.js'
import { barePgBoss, skipLocked } from './queues/by-hand.js'
import { benchDrain } from './queues/drain.js'
import type { Engine } from './queues/engine.js'
import { benchLatency } from './queues/latency.js'
import { postgresBullMq, postgresLocal, postgresPgBoss, sqliteLocal } from './queues/ours.js'

/**
 * Compares each queue with the same inbox written by hand on the bare engine. That is one table, and one transaction in
 * which the handler runs and the event is marked done. Measures the time from the answer to the handler, a backlog, and accepts.
 *
 *     npm run bench -- queues
 *     npm run bench -- queues drain --events 20000 --only local
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
})
const [events, rounds] = [Number(values.events), Number(values.rounds)]
const wants = (part: string) => positionals.length === 0 || positionals.includes(part)

title('Queues: a Postgres of its own with fsync on, a Redis with appendonly yes')
const server = await startServer()
const redis = await startRedis({ appendonly: 'yes' })
const { port } = redis

/** The first of each group is the program written by hand. */
const groups: Record<string, () => Promise<Engine[]>> = {
  local: () => Promise.all([skipLocked(server), postgresLocal(server), sqliteLocal()]),
  'pg-boss': () => Promise.all([barePgBoss(server), postgresPgBoss(server)]),
  bullmq: () =>
    Promise.all([sameBullMq(server, port), bareBullMq(server, port), postgresBullMq(server, port)]),
}

async function measure(engines: readonly Engine[]): Promise<void> {
  if (wants('latency')) {
    await benchLatency(engines, 100)
  }
  if (wants('drain')) {
    await benchDrain(engines, events, rounds)
  }
  if (wants('accept')) {
    await benchAccept(engines, 4 * rounds + 1)
  }
}

try {
  for (const [name, open] of Object.entries(groups)) {
    if (values.only !== undefined && values.only !== name) {
      continue
    }
    const engines = await open()
    try {
      await measure(engines)
    } finally {
      for (const engine of engines) {
        await engine.close()
      }
    }
  }
} finally {
  await redis.close()
  await server.close()
}
