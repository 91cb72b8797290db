// A console in a process of its own, which a test can freeze. Arguments: a file, or the url and the schema of Postgres
// and its time limits as JSON.
import { createServer } from 'node:http'
import pg from 'pg'
import { createReceiver } from 'webhook-inbox'
import { postgresStore } from 'webhook-inbox/stores/postgres'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { consoleHandler } from '../../dist/index.js'
import { defaultLimits } from '../../dist/limits.js'

const [place, schema, limits] = process.argv.slice(2)
// For all consoles of this process.
Object.assign(defaultLimits, JSON.parse(limits ?? '{}'))
const receiver = createReceiver({
  secret: 'whsec_of_the_console_tests',
  endpoint: 'payments',
  store: schema
    ? postgresStore({ pool: new pg.Pool({ connectionString: place, max: 5 }), schema })
    : sqliteStore(place),
  logger: false,
  fallback() {},
})
const server = createServer(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
