import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Clock, realClock } from '../../src/clock.js'
import type { Context } from '../../src/context.js'
import { type Database, openDatabase } from '../../src/database/open.js'
import type { AttemptNotice } from '../../src/delivery/attempt-notice.js'
import { Courier, type CourierOptions } from '../../src/delivery/courier.js'
import type { StoredEvent } from '../../src/delivery/events.js'
import { type NewEvent, recordEvent } from '../../src/delivery/record-event.js'
import {
  createSubscription,
  type NewSubscription,
  type Subscription,
} from '../../src/delivery/subscriptions.js'
import { Ids } from '../../src/ids.js'
import type { Options } from '../../src/options/options.js'
import { resolveOptions } from '../../src/options/resolve.js'

export interface RigOptions extends Partial<Omit<Options, 'clock' | 'state'>> {
  readonly clock?: Clock
  readonly state?: string
  readonly resolve?: CourierOptions['resolve']
}

export interface Rig extends Context {
  readonly courier: Courier
  readonly notices: AttemptNotice[]
  subscribe(given: NewSubscription): Subscription
  /** Commits the events in one transaction and wakes the courier. */
  record(...events: NewEvent[]): StoredEvent[]
  /** Resolves once this many attempts have ended. */
  ended(count: number): Promise<AttemptNotice[]>
  /** Ends as a crash does: nothing is awaited. */
  close(): Promise<void>
}

/** A courier with a database of its own, as the sandbox builds it. */
export function deliveryRig({
  clock = realClock(),
  state = ':memory:',
  resolve,
  ...given
}: RigOptions = {}): Rig {
  const database = openDatabase(state)
  const ids = new Ids('test', () => clock.now())
  const context: Context = { database, clock, ids, options: { ...resolveOptions(), ...given } }
  const notices: AttemptNotice[] = []
  let noted = () => {}
  const courier = new Courier({
    ...context,
    resolve,
    onAttempt(notice) {
      notices.push(notice)
      noted()
    },
    onFailure(error) {
      throw error
    },
  })
  let isClosed = false
  const rig: Rig = {
    ...context,
    courier,
    notices,
    subscribe: (subscription) => database.transaction(() => createSubscription(context, subscription))(),
    record(...events) {
      const stored = database.transaction(() => events.map((event) => recordEvent(context, event)))()
      courier.wake()
      return stored
    },
    async ended(count) {
      const those = () => notices.filter(({ phase }) => phase === 'ended')
      while (those().length < count) {
        await new Promise<void>((resolve) => {
          noted = resolve
        })
      }
      return those()
    },
    async close() {
      if (isClosed) {
        return
      }
      isClosed = true
      await courier.close()
      database.close()
    },
  }
  onTestFinished(() => rig.close())
  return rig
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

/** Answers one request; the body has arrived already. `count` starts at 1. */
export type Answering = (response: ServerResponse, received: Received, count: number) => unknown

export interface TestReceiver {
  readonly url: string
  readonly received: Received[]
  readonly server: Server
}

/** A receiver on loopback that answers as told. Default: 200. */
export async function receiver(answering: Answering = (response) => response.end()): Promise<TestReceiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const { method = '', url: path = '', headers, rawHeaders } = request
      const one = { method, path, headers, rawHeaders, body: Buffer.concat(chunks) }
      received.push(one)
      void answering(response, one, received.length)
    })
  })
  const url = await listening(server)
  return { url, received, server }
}

/** A receiver that takes `milliseconds` for each answer. It notes the most requests that it had open at a time. */
export async function slowReceiver(milliseconds: number) {
  const concurrency = { most: 0 }
  let open = 0
  const started = await receiver((response) => {
    open++
    concurrency.most = Math.max(concurrency.most, open)
    setTimeout(() => {
      open--
      response.end()
    }, milliseconds)
  })
  return { ...started, concurrency }
}

/** The URL of a server that was told to listen on a free port of loopback, and is closed after the test. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
}

export const settled = (transferId = 'tr_1'): NewEvent => ({
  type: 'transfer.settled',
  data: { transferId, status: 'settled', rail: 'sim_settle', ledgerState: 'matched' },
})

export const matched = (transferId = 'tr_1'): NewEvent => ({
  type: 'ledger.matched',
  data: { transferId, ledgerState: 'matched', journalEntryId: 'je_1' },
})

/** Every notice of this phase, as `type number`. */
export const named = (notices: readonly AttemptNotice[], phase: AttemptNotice['phase']): string[] =>
  notices
    .filter((notice) => notice.phase === phase)
    .map(({ delivery, number }) => `${delivery.eventType} ${number}`)

/** A new signature differs once the wall clock shows another second. */
export async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000)
  while (Math.floor(Date.now() / 1000) === second) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Adds copies of the only subscription, because ten thousand requests take a minute on a busy machine. */
export function copySubscription(database: Database, copies: number): void {
  database
    .prepare(
      `WITH RECURSIVE copy (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < ?)
       INSERT INTO subscriptions (id, url, events, envelope, secret, status, created_at)
       SELECT id || number, url, events, envelope, secret, status, created_at FROM subscriptions, copy`,
    )
    .run(copies)
}
