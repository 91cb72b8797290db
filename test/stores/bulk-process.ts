import pg from 'pg'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver } from '../../src/receiver.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'

/** Applies the bulk runs of a store in its own process, for a test that kills it. It runs no events. */

const [kind, address] = process.argv.slice(2) as ['sqlite' | 'postgres', string]

const receiver = createReceiver({
  secret: 'whsec_0123456789abcdef',
  store:
    kind === 'sqlite'
      ? sqliteStore(address)
      : postgresStore({ pool: new pg.Pool({ connectionString: address, max: 3 }) }),
  queue: localQueue(),
  logger: false,
  fallback: () => {},
} as never)
await receiver.start({ consume: false })
// The channel keeps the process only while somebody listens.
process.on('message', () => {})
process.send?.('ready')
