import type { Queue, Worker } from '../../src/queue/queue.js'
import { localQueue } from '../../src/queues/local.js'
import type { Inbox, StoredEvent } from '../../src/store/inbox.js'
import type { Store } from '../../src/store/store.js'
import { type SqliteDatabase, type SqliteTx, sqliteStore } from '../../src/stores/sqlite.js'
import { eventually } from '../../src/testing/laws.js'
import {
  type QueueSettings,
  type QueueTrial,
  queueSuite,
  type Victim,
} from '../../src/testing/queue-suite.js'
import { memorySqlite } from './memory-sqlite.js'

export type Tx = SqliteTx

/** Parts of a queue and its inbox, each without a fault. */
export interface Parts {
  readonly queue: Queue<Tx>
  readonly inbox: Inbox<Tx>
}

/** What is wrong. The first queue that a law makes has the index 0. */
export interface QueueFault {
  readonly settings?: (settings: QueueSettings) => QueueSettings
  readonly inbox?: (inbox: Inbox<Tx>, index: number) => Partial<Inbox<Tx>>
  readonly queue?: (parts: Parts, index: number) => Partial<Queue<Tx>>
  /** What the worker of a law is replaced by. */
  readonly worker?: (worker: Worker, parts: Parts) => Partial<Worker>
  /** What else happens when a process dies that runs an event. */
  readonly death?: (store: Store<Tx> & { readonly inbox: Inbox<Tx> }, event: StoredEvent) => Promise<unknown>
}

export interface LawFaults {
  /** What the law finds. The text is a part of what it then says. */
  readonly found: Readonly<Record<string, QueueFault & { readonly says?: string }>>
  /** What never happens. The law waits for it, for at most so long; its clock runs so many times faster meanwhile. */
  readonly never?: Readonly<Record<string, QueueFault>>
  readonly faster?: number
}

interface Observed {
  /** Called for every trial when it is closed. */
  readonly closed?: (index: number) => void
}

/** Runs one law of queues, with a fault, over a database of its own. Rejects if the law fails. */
export async function runQueueLaw(
  law: string,
  fault: QueueFault = {},
  { closed }: Observed = {},
): Promise<void> {
  const handle = memorySqlite()
  let index = 0
  const laws = new Map<string, () => Promise<void>>()
  queueSuite<Tx>(
    (name, run) => void laws.set(name, run),
    (settings) => {
      const at = index++
      return { ...trialOf(handle, settings, fault, at), close: async () => closed?.(at) }
    },
    { startVictim: (settings) => victimOf(handle, settings, fault), recoverySeconds: 20 },
  )
  await laws.get(law)?.()
}

/** The names of all laws of queues. */
export function queueLaws(): string[] {
  const names: string[] = []
  const none = () => Promise.reject(new Error('no law runs'))
  queueSuite((name) => void names.push(name), none, { startVictim: none })
  return names
}

function trialOf(handle: SqliteDatabase, given: QueueSettings, fault: QueueFault, index: number) {
  const settings = fault.settings?.(given) ?? given
  const store = sqliteStore<SqliteDatabase>(handle)
  const inbox: Inbox<Tx> = { ...store.inbox, ...fault.inbox?.(store.inbox, index) }
  const { concurrency, retry } = settings
  const queue = localQueue({ concurrency, retry, pollSeconds: 0.05 })
  const parts: Parts = { queue, inbox: store.inbox }
  const faulty: Queue<Tx> = {
    ...queue,
    consume: (worker, found) => queue.consume({ ...worker, ...fault.worker?.(worker, parts) }, found),
    ...fault.queue?.(parts, index),
  }
  return { queue: faulty, store: { ...store, inbox } } satisfies Partial<QueueTrial<Tx>>
}

/** A consumer that never ends its job, and loses its claim soon after it is killed. */
async function victimOf(
  handle: SqliteDatabase,
  { space }: QueueSettings,
  fault: QueueFault,
): Promise<Victim> {
  const store = sqliteStore<SqliteDatabase>(handle)
  const event = await eventually(async () => (await store.inbox.due(1, space))[0])
  const durations = { leaseSeconds: 2, workSeconds: 0.1, waitSeconds: 0, retentionSeconds: 3600 }
  await new Promise<void>((begin) => {
    const never = () => new Promise<void>(() => begin())
    void store.once({ ...event, durations, isKept: true }, never).catch(() => {})
  })
  return { kill: async () => void (await fault.death?.(store, event)) }
}
