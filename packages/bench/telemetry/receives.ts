import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tracer } from '@opentelemetry/api'
import express from 'express'
import pg from 'pg'
import type { ReceiveRequest, ReceiveResult, Receiver, Store, Telemetry } from 'webhook-inbox'
import { secret } from '../harness/bodies.js'
import { openIn, scratch } from '../harness/sqlite-files.js'
import type { ByHand } from './by-hand.js'
import type { Library } from './library.js'
import { inServerSpan } from './variants.js'

export const receiveNames = ['memory', 'sqlite', 'worker', 'postgres', 'express'] as const
export type ReceiveName = (typeof receiveNames)[number]

/** What a measured process does in its turns. */
export interface Receive {
  /** Resolves when each request is received, and its event run where a worker runs it. */
  take?(requests: readonly ReceiveRequest[]): Promise<void>
  /** Where the requests come over HTTP. */
  readonly port?: number
}

interface Given {
  readonly library: Library
  readonly telemetry: Telemetry | undefined
  readonly hostTracer: Tracer | undefined
  readonly byHand: ByHand | undefined
  /** Of an empty Postgres database with the tables. */
  readonly database: string | undefined
}

export const receives: Readonly<Record<ReceiveName, (given: Given) => Promise<Receive>>> = {
  /** One delivery after the other, run before the answer. */
  async memory(given) {
    const { createReceiver, memoryStore } = await given.library.root()
    const options = {
      secret,
      handlers: { 'transfer.settled': () => {} },
      logger: false,
      ...told(given),
    } as const
    const receiver = createReceiver({ ...options, store: memoryStore({ maxEvents: 2048 }) })
    return { take: inLanes(1, given, receiver, 'processed') }
  },

  /** Ten concurrent deliveries, committed with fsync before the answer. No worker runs them. */
  async sqlite(given) {
    const { sqliteStore } = await given.library.sqlite()
    return accepting(given, sqliteStore(openIn(scratch(), 'inbox')))
  },

  /** The same, and a worker runs each event to its end. */
  async worker(given) {
    const { sqliteStore } = await given.library.sqlite()
    return running(given, sqliteStore(openIn(scratch(), 'inbox')))
  },

  /** As `sqlite`, on Postgres. */
  async postgres(given) {
    const { postgresStore } = await given.library.postgres()
    const pool = new pg.Pool({ connectionString: given.database, max: 20 })
    return accepting(given, postgresStore({ pool }))
  },

  /** Fifty connections to Express, with a memory store. */
  async express(given) {
    const { createReceiver, memoryStore } = await given.library.root()
    const { expressHandler } = await given.library.express()
    const options = { secret, handlers: { 'transfer.settled': () => {} }, ...told(given) }
    const receiver = createReceiver({ ...options, store: memoryStore({ maxEvents: 20_000 }) })
    const handler = expressHandler({ ...receiver, receive: reported(receiver, given, 'processed') })
    const { hostTracer } = given
    const app = express()
    if (hostTracer) {
      app.use((_request, response, next) => {
        void inServerSpan(hostTracer, () => {
          const ended = new Promise<void>((resolve) => response.once('finish', resolve))
          next()
          return ended
        })
      })
    }
    app.post('/webhooks', handler)
    return { port: await listen(createServer(app as RequestListener)) }
  },
}

/** A version of before the telemetry rejects the option. */
const told = ({ telemetry }: Given) => (telemetry ? { telemetry } : {})

async function accepting<Tx>(given: Given, store: Store<Tx>): Promise<Receive> {
  const { createReceiver } = await given.library.root()
  const { localQueue } = await given.library.localQueue()
  const options = { secret, store, fallback: () => {}, logger: false, ...told(given) } as const
  const receiver = createReceiver({ ...options, queue: localQueue() } as never)
  await receiver.start({ consume: false })
  return { take: inLanes(10, given, receiver, 'accepted') }
}

async function running<Tx>(given: Given, store: Store<Tx>): Promise<Receive> {
  const { createReceiver } = await given.library.root()
  const { localQueue } = await given.library.localQueue()
  let left = 0
  let empty = () => {}
  const fallback = () => {
    if (--left === 0) {
      // The mark of the last event is not in the turn.
      empty()
    }
  }
  const options = { secret, store, fallback, logger: false, ...told(given) } as const
  const receiver = createReceiver({ ...options, queue: localQueue() } as never)
  await receiver.start()
  const accept = inLanes(10, given, receiver, 'accepted')
  return {
    async take(requests) {
      left = requests.length
      const isEmpty = new Promise<void>((resolve) => {
        empty = resolve
      })
      await accept(requests)
      await isEmpty
    },
  }
}

/** Receives, and reports it by hand where the variant does. */
function reported(
  receiver: Pick<Receiver, 'receive'>,
  { byHand }: Given,
  expected: 'processed' | 'accepted',
): (request: ReceiveRequest) => Promise<ReceiveResult> {
  return byHand
    ? (request) => byHand(() => receiver.receive(request), expected === 'processed')
    : (request) => receiver.receive(request)
}

/** Takes the requests in as many lanes as given, each in a span of the host. */
function inLanes(
  lanes: number,
  given: Given,
  receiver: Pick<Receiver, 'receive'>,
  expected: 'processed' | 'accepted',
) {
  const { hostTracer } = given
  const receive = reported(receiver, given, expected)
  async function one(request: ReceiveRequest): Promise<void> {
    const { outcome } = await (hostTracer
      ? inServerSpan(hostTracer, () => receive(request))
      : receive(request))
    if (outcome !== expected) {
      throw new Error(outcome)
    }
  }
  return async (requests: readonly ReceiveRequest[]) => {
    let next = 0
    async function lane() {
      while (next < requests.length) {
        await one(requests[next++] as ReceiveRequest)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }
}

async function listen(server: Server): Promise<number> {
  // The connections of one process stay open during the turns of the others.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
