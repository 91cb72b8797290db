import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { testSecret } from 'webhook-inbox/testing'
import { consoleHandler } from 'webhook-inbox-console'
import { acceptFor } from './harness/accept.js'
import { bodyOf } from './harness/bodies.js'
import { quantile } from './harness/compare.js'
import { driver, openIn, scratch } from './harness/sqlite-files.js'
import { table, title } from './harness/table.js'

/**
 * Measures how long accepted deliveries take beside an open console. SQLite, because there the console works in the process
 * of the deliveries. Phases with and without a console alternate, so that a busy machine slows both.
 *
 * `npm run bench -- console`. `--small` takes a hundredth of the events, and shorter phases.
 */
const isSmall = process.argv.includes('--small')
const count = isSmall ? 10_000 : 1_000_000
const phaseSeconds = isSmall ? 2 : 10
const rounds = 3
/** The page reads its views anew this often while events arrive. */
const viewSeconds = 2
const views = ['overview?hours=24', 'groups', 'events', 'workers', 'sources', 'flow/pauses']

const fill = `
  INSERT INTO webhook_inbox_events (key, state, queued, attempt, received_at, due_at, done_at, forget_at, endpoint, id, type,
    created_at, content_hash, last_error, failure_group, body)
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?1)
  SELECT lower(hex(randomblob(32))), iif(n % 10, 'done', 'dead'), 1, 1, CAST(?2 + n * ?3 AS INTEGER), 0,
    iif(n % 10, CAST(?2 + n * ?3 AS INTEGER) + 200, NULL), iif(n % 10, 9e12, NULL), 'default', 'evt_' || n, 'transfer.settled',
    '', '', iif(n % 10, NULL, 'Error: no account'), iif(n % 10, NULL, 'default:cause'), ?4 FROM numbers`

title(`Accepts beside an open console: SQLite (${driver}), ${count.toLocaleString('en-US')} events of 1 kB`)
const database = openIn(scratch(), 'console')
const store = sqliteStore(database)
await store.check()
const day = 86_400_000
database.prepare(fill).run(count, Date.now() - day, day / count, bodyOf(1000))
const receiver = createReceiver({
  secret: testSecret,
  store,
  queue: localQueue({ onError() {} }),
  logger: false,
  fallback() {},
} as never)
await receiver.start({ consume: false })
const server = createServer(consoleHandler(receiver, { authorize: () => true, actor: () => 'bench' }))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`

/** Reads what an open page reads, until it is stopped. */
function openConsole(): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const stream = fetch(`${api}/stream`, { signal }).then((response) =>
    response.body?.pipeTo(new WritableStream()),
  )
  const look = async () => {
    while (!signal.aborted) {
      await Promise.all(views.map(async (view) => (await fetch(`${api}/${view}`)).text()))
      await new Promise((resolve) => setTimeout(resolve, viewSeconds * 1000))
    }
  }
  const looking = look()
  return async () => {
    stopping.abort()
    await Promise.allSettled([stream, looking])
  }
}

const alone: number[] = []
const beside: number[] = []
for (let round = 0; round < rounds; round++) {
  alone.push(...(await acceptFor(receiver, phaseSeconds)))
  const close = openConsole()
  beside.push(...(await acceptFor(receiver, phaseSeconds)))
  await close()
}
const row = (name: string, taken: readonly number[]) => [
  name,
  taken.length,
  ...[0.5, 0.99].map((part) => `${quantile(taken, part).toFixed(2)} ms`),
]
table(['deliveries', 'count', 'p50', 'p99'], [row('alone', alone), row('beside a console', beside)])
console.log(`p99 beside a console / alone: ${(quantile(beside, 0.99) / quantile(alone, 0.99)).toFixed(2)}`)
await receiver.stop()
server.closeAllConnections()
server.close()
await store.close()
database.close()
