import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { createReceiver, type Receiver, type Store } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { migratePostgres, postgresStore } from 'webhook-inbox/stores/postgres'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { deliveryOf, testSender } from 'webhook-inbox/testing'
import { consoleApp } from '../src/console-app.js'
import type { Limits } from '../src/limits.js'
import { nodeListener } from '../src/node-listener.js'
import { type MountedOptions, resolveOptions } from '../src/options.js'
import { pathBelow } from '../src/path-below.js'

export const secret = 'whsec_of_the_console_tests'

/** What makes a store for one test. */
export type MakeStore = () => Promise<Store<never>>

/** A database file of its own. */
export const sqlite: MakeStore = async () => (await sqliteFile()).store

/** As {@link sqlite}, and where the file is. */
export async function sqliteFile(): Promise<{ readonly store: Store<never>; readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  const file = join(folder, 'inbox.db')
  const store = sqliteStore(file)
  onTestFinished(async () => {
    await store.close?.()
    await rm(folder, { recursive: true })
  })
  return { store: store as Store<never>, file }
}

/** As {@link sqlite}, without the parts that an inbox may lack. */
export const lesserStore: MakeStore = async () => {
  const store = await sqlite()
  const { auditLog, bulk, failures, flow, statistics, ...inbox } = store.inbox as NonNullable<Store['inbox']>
  return { ...store, inbox } as Store<never>
}

/** One store for several receivers. */
export async function sharedStore(): Promise<MakeStore> {
  const store = await sqlite()
  return async () => store
}

/** A schema of its own on a real server. */
export const postgres =
  (url: () => string, tell: (schema: string) => void = () => {}): MakeStore =>
  async () => {
    const pool = new pg.Pool({ connectionString: url(), max: 5 })
    const schema = `console_${Math.random().toString(36).slice(2)}`
    await migratePostgres(pool, { schema })
    tell(schema)
    onTestFinished(() => pool.end())
    return postgresStore({ pool, schema }) as Store<never>
  }

export interface Inbox {
  readonly receiver: Receiver
  /** Delivers an event and resolves when it is accepted. */
  send(type: string, data: object, id: string): Promise<void>
  /** Delivers a body that is signed but no event. */
  sendRaw(body: string): Promise<void>
  /** Resolves when the counts are so. */
  until(isSo: (counts: Record<string, number>) => boolean): Promise<void>
}

/**
 * A running receiver. `transfer.settled` succeeds. Every other type fails with its type and the id in the message, and
 * is dead after one attempt.
 */
export async function openInbox(
  makeStore: MakeStore = sqlite,
  handlers: Readonly<Record<string, (event: never) => Promise<void>>> = {},
  retry: object = { attempts: 1 },
  over: object = {},
): Promise<Inbox> {
  const store = await makeStore()
  const receiver = createReceiver({
    secret,
    endpoint: 'payments',
    store: store as Store<unknown>,
    queue: localQueue({ pollSeconds: 0.05, onError() {}, retry }),
    logger: { info() {}, warn() {}, error() {} },
    handlers: { async 'transfer.settled'() {}, ...handlers },
    async fallback(event) {
      throw new Error(`${event.type} ${event.id} failed`)
    },
    ...over,
  } as Parameters<typeof createReceiver>[0])
  await receiver.start()
  onTestFinished(() => receiver.stop())
  const sender = testSender({ receiver, secret })
  return {
    receiver,
    async send(type, data, id) {
      await sender.send(type as 'transfer.settled', data, { id })
    },
    async sendRaw(body) {
      await sender.deliver(await deliveryOf(body, { secret }))
    },
    async until(isSo) {
      while (!isSo((await receiver.health()).counts)) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}

/** An inbox with one done event, one dead one and one quarantined delivery. */
export async function openFilledInbox(makeStore?: MakeStore): Promise<Inbox> {
  const inbox = await openInbox(makeStore)
  await inbox.send('transfer.settled', {}, 'evt_done')
  await inbox.send('transfer.failed', { transferId: 'tr_1' }, 'evt_dead')
  await inbox.sendRaw('no JSON')
  await inbox.until(({ done, dead, quarantined }) => done === 1 && dead === 1 && quarantined === 1)
  return inbox
}

/** An inbox with two events that failed, and are retried in half an hour or later. */
export async function openWaitingInbox(makeStore?: MakeStore): Promise<Inbox> {
  const inbox = await openInbox(makeStore, {}, { attempts: 5, firstPauseSeconds: 3600 })
  await inbox.send('transfer.failed', { transferId: 'tr_1' }, 'evt_failed')
  await inbox.send('transfer.failed', { transferId: 'tr_2' }, 'evt_failed_too')
  await inbox.until(({ failed }) => failed === 2)
  return inbox
}

/** Serves a listener on a real socket for one test; resolves to its origin. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An act on an event that was shown dead, unless `body` says otherwise. */
export const act = (reason: string, headers: Readonly<Record<string, string>> = {}, body: object = {}) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', ...headers },
  body: JSON.stringify({ reason, seen: { state: 'dead', generation: 0 }, ...body }),
})

/** What the page sends with a change of a cause or an operation: as it is shown now. */
export async function asShown(url: string): Promise<{ readonly seen: object }> {
  const { state, changes } = await json<{ readonly state: string; readonly changes: number }>(url)
  return { seen: { state, changes } }
}

/** A console with shorter time limits. */
export function limitedConsole(
  receiver: Receiver,
  options: MountedOptions<IncomingMessage>,
  limits: Partial<Limits>,
): RequestListener {
  const resolved = resolveOptions(receiver, options)
  const answer = nodeListener(consoleApp({ ...resolved, limits: { ...resolved.limits, ...limits } }))
  return (request, response) => {
    const path = pathBelow('', request.url ?? '/') ?? '/'
    void answer(request, response, { path, caller: request })
  }
}

/** The answer of a console as JSON. */
export const json = async <Answer>(url: string, init?: RequestInit): Promise<Answer> =>
  (await (await fetch(url, init)).json()) as Answer

/** Asks again until the answer is so. */
export async function jsonUntil<Answer>(url: string, isSo: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await json<Answer>(url)
    if (isSo(answer)) {
      return answer
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
