import { parseArgs } from 'node:util'
import { title } from './harness/table.js'
import { benchAccept } from './postgres/accept.js'
import { benchOnce } from './postgres/once.js'
import { startServer } from './postgres/server.js'

/**
 * Compares transactional `once` with the same transaction written by hand, and durable accepts with single inserts. Each
 * uses the same pool of `pg`, one INSERT of the handler, and a body of 1 kB. For growing tables see `npm run bench -- growth`.
 *
 *     npm run bench -- postgres
 *     npm run bench -- postgres once --rounds 41
 */
const parts = { once: benchOnce, accept: benchAccept }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '21' } },
})
title('Postgres: a server of its own, fsync on, synchronous_commit on')
const server = await startServer()
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (positionals.length === 0 || positionals.includes(name)) {
      await measure(server, Number(values.rounds))
    }
  }
} finally {
  await server.close()
}
