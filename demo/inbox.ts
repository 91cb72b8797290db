import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver, type ReceiveResult, type Receiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { localQueue } from 'webhook-inbox/queues/local'
import { type SqliteDatabase, sqliteStore } from 'webhook-inbox/stores/sqlite'
import type { Books } from './books.js'

export const secret = 'whsec_demo_secret'
/** Tells the demo’s own deliveries from those that somebody else sends. */
export const demoAgent = 'webhook-inbox-demo'
const path = '/webhooks'

export interface InboxOptions {
  readonly port: number
  /** How long a handler takes: time to watch, and to kill the demo in the middle. */
  readonly workSeconds: number
  /** The pause after a handler has failed. */
  readonly pauseSeconds: number
  /** Told of what the demo’s own sender delivered, before it is answered. */
  onOwn(result: ReceiveResult): unknown
  /** Told of what somebody else delivered. */
  onVisit(result: ReceiveResult): unknown
  /** Told of what was run from the inbox. */
  onRun(result: ReceiveResult): unknown
}

export interface Inbox {
  readonly url: string
  readonly guarantee: string
  /** The ids of events that an earlier life has accepted and not run. */
  readonly leftOver: ReadonlySet<string>
  /** Starts to run what the inbox holds. */
  run(): Promise<void>
  /** Resolves, to how many events wait for the next life, when what was under way has ended. */
  close(): Promise<number>
}

/** A receiver on a real port with a durable inbox, as a service would mount it. Port 0 is any free one. */
export async function openInbox(
  database: SqliteDatabase,
  books: Books,
  { port, workSeconds, pauseSeconds, onOwn, onVisit, onRun }: InboxOptions,
): Promise<Inbox> {
  const store = sqliteStore(database)
  const receiver = createReceiver({
    secret,
    store,
    queue: localQueue({ concurrency: 4, pollSeconds: 0.2, retry: { firstPauseSeconds: pauseSeconds } }),
    // Short, so that what a killed life was in the middle of goes on soon in the next one.
    leaseSeconds: 3,
    logger: false,
    handlers: {
      async 'transfer.settled'(event, { tx }) {
        await sleep(workSeconds * 1000)
        tx.write(() => books.enter(event, event.data.transferId, 'settled'))
      },
      async 'approval.updated'(event, { tx }) {
        await sleep(workSeconds * 1000)
        tx.write(() => books.enter(event, event.data.transferId, 'approved'))
      },
      // The first attempt always fails, so that the next one can be seen to mend it.
      'transfer.failed'(event, { tx, attempt }) {
        if (attempt === 1) throw new Error('the ledger is locked')
        tx.write(() => books.enter(event, event.data.transferId, 'failed'))
      },
    },
    // A delivery is accepted or not; these come from the queue.
    onResult(result) {
      if (result.outcome === 'processed' || result.code === 'handler_failed') onRun(result)
    },
  })
  await receiver.start({ consume: false })
  const states = ['accepted', 'failed'] as const
  const lists = await Promise.all(states.map((state) => receiver.list({ state, limit: 10_000 })))

  const handle = nodeHandler(watch(receiver, onOwn, onVisit))
  const server = createServer((request, response) => {
    if (request.url === path) return handle(request, response)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    guarantee: receiver.describe(),
    leftOver: new Set(lists.flat().map(({ id }) => id)),
    run: () => receiver.start(),
    async close() {
      await new Promise((resolve) => server.close(resolve))
      await receiver.stop()
      const { counts } = await receiver.health()
      await store.close()
      return counts.accepted + counts.failed
    },
  }
}

/** Tells what the demo delivers from what others do. */
function watch(
  receiver: Receiver,
  onOwn: (result: ReceiveResult) => unknown,
  onVisit: (result: ReceiveResult) => unknown,
): Receiver {
  return {
    ...receiver,
    async receive(request) {
      const result = await receiver.receive(request)
      const { headers } = request.source as IncomingMessage
      if (headers['user-agent'] === demoAgent) onOwn(result)
      else onVisit(result)
      return result
    },
  }
}
