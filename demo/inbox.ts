import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver, type ReceiveResult, type Receiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { localQueue } from 'webhook-inbox/queues/local'
import { type SqliteDatabase, sqliteStore } from 'webhook-inbox/stores/sqlite'
import type { Client } from 'webhook-inbox-client'
import { type Books, settle } from './books.js'
import { type Entry, entryOf } from './journal.js'
import { secret } from './service.js'

/** Marks the deliveries that the demo forges itself. */
export const demoAgent = 'webhook-inbox-demo'
/** The user agents of the demo: its sandbox and the demo itself. All others are visitors. */
const ownAgents: readonly unknown[] = ['webhook-inbox-sandbox', demoAgent]
const path = '/webhooks'

export interface InboxOptions {
  readonly port: number
  /** Duration of a handler, in seconds. It leaves time to watch, and to kill the demo in the middle. */
  readonly workSeconds: number
  /** Delay after a failed handler, in seconds. */
  readonly pauseSeconds: number
  /** Asks the service for the state of a transfer. */
  readonly client: Client
  /** Called for each delivery of the demo, and for each event that ran from the inbox. */
  onEntry(entry: Entry): void
  /** Called for each delivery of anyone else. */
  onVisit(result: ReceiveResult): void
}

export interface Inbox {
  readonly url: string
  readonly guarantee: string
  /** The ids of events that an earlier run accepted but did not process. */
  readonly leftOver: ReadonlySet<string>
  /** Starts to process the events of the inbox. */
  run(): Promise<void>
  /** Answers 503 to this many deliveries, as a service does during a deployment. */
  goDown(deliveries: number): void
  /** Resolves when all running handlers have ended, to the number of events that wait for the next run. */
  close(): Promise<number>
}

/** Starts a receiver with a durable inbox on a real port, as a service does. Port 0 is any free port. */
export async function openInbox(
  database: SqliteDatabase,
  books: Books,
  { port, workSeconds, pauseSeconds, client, onEntry, onVisit }: InboxOptions,
): Promise<Inbox> {
  const store = sqliteStore(database)
  const receiver = createReceiver({
    secret,
    store,
    queue: localQueue({ concurrency: 4, pollSeconds: 0.2, retry: { firstPauseSeconds: pauseSeconds } }),
    // Short, so that the next run soon processes the events of a killed one.
    leaseSeconds: 3,
    logger: false,
    handlers: {
      async 'transfer.settled'(event, { tx }) {
        await sleep(workSeconds * 1000)
        const state = await settle(books, client, event.data.transferId, 'settled')
        tx.write(() => books.enter(event, event.data.transferId, state))
      },
      async 'transfer.failed'(event, { tx, attempt }) {
        // One rail shows that the inbox retries a handler that fails.
        if (event.data.rail === 'sim_fail_network' && attempt === 1) {
          throw new Error('the ledger is locked')
        }
        const state = await settle(books, client, event.data.transferId, 'failed')
        tx.write(() => books.enter(event, event.data.transferId, state))
      },
      async 'ledger.matched'(event, { tx }) {
        await sleep(workSeconds * 1000)
        tx.write(() => books.enter(event, event.data.transferId, 'matched'))
      },
    },
    // Deliveries are recorded with their response. These results come from the queue.
    onResult(result) {
      if (result.outcome === 'processed' || result.code === 'handler_failed') {
        onEntry(entryOf('run', result))
      }
    },
  })
  await receiver.start({ consume: false })
  const states = ['accepted', 'failed'] as const
  const lists = await Promise.all(states.map((state) => receiver.list({ state, limit: 10_000 })))

  let down = 0
  const handle = nodeHandler(watch(receiver, (result) => onEntry(entryOf('delivery', result)), onVisit))
  const server = createServer((request, response) => {
    if (request.url !== path) {
      return response.writeHead(404).end()
    }
    if (down === 0 || !ownAgents.includes(request.headers['user-agent'])) {
      return handle(request, response)
    }
    down--
    onEntry(refusalOf(request))
    return response.writeHead(503).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    guarantee: receiver.describe(),
    leftOver: new Set(lists.flat().map(({ id }) => id)),
    run: () => receiver.start(),
    goDown: (deliveries) => {
      down = deliveries
    },
    async close() {
      server.closeIdleConnections()
      await new Promise((resolve) => server.close(resolve))
      await receiver.stop()
      const { counts } = await receiver.health()
      await store.close()
      return counts.accepted + counts.failed
    },
  }
}

/** A delivery that did not reach the receiver. Only its headers are known. */
const refusalOf = ({ headers }: IncomingMessage): Entry => ({
  kind: 'delivery',
  type: 'unread',
  eventId: String(headers['service-event-id']),
  transferId: undefined,
  verdict: '503 unavailable',
  outcome: 'unavailable',
  status: 503,
})

/** Distinguishes deliveries of the demo from those of visitors. */
function watch(
  receiver: Receiver,
  onOwn: (result: ReceiveResult) => void,
  onVisit: (result: ReceiveResult) => void,
): Receiver {
  return {
    ...receiver,
    async receive(request) {
      const result = await receiver.receive(request)
      const { headers } = request.source as IncomingMessage
      if (ownAgents.includes(headers['user-agent'])) {
        onOwn(result)
      } else {
        onVisit(result)
      }
      return result
    },
  }
}
