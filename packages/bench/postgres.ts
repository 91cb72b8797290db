import { parseArgs } from 'node:util'
import { title } from './harness/table.js'
import { benchAccept } from './postgres/accept.js'
import { benchOnce } from './postgres/once.js'
import { startServer } from './postgres/server.js'

/**
 * Transactional once beside the same transaction written by hand, and durable accepts beside single inserts, each over the
 * same pool of `pg`, with the handler’s one INSERT and a body of 1 kB. What grows is in `npm run bench -- growth`.
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
