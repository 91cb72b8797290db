import { onTestFinished } from 'vitest'
import type { Handler } from '../../../src/dispatch/handlers.js'
import type { WebhookEvent } from '../../../src/event/event.js'
import type { Schemas } from '../../../src/event/standard-schema.js'
import type { CommonOptions } from '../../../src/options/types.js'
import { createReceiver, type GateOptions, type Receiver } from '../../../src/receiver.js'
import type { ReceiveResult } from '../../../src/result.js'
import type { Store } from '../../../src/store/store.js'
import { memoryStore } from '../../../src/stores/memory.js'
import { secret } from './signed.js'

/** A server on a free port. `url` is the webhook. */
export interface Mounted {
  readonly url: string
  close(): unknown
}

/** What the receiver was made of, for a mount that builds a middleware in its place. */
export interface Setup {
  readonly options: GateOptions
  /** What the route has to do. */
  readonly work: SuiteHandler
}

/** Starts a real server with a receiver behind the tested adapter. */
export type Mount = (receiver: Receiver, setup: Setup) => Mounted | Promise<Mounted>

export interface Rig {
  readonly url: string
  /** The events that the handler got, in order. */
  readonly ran: WebhookEvent[]
  /** The results that `onResult` got, in order. */
  readonly results: ReceiveResult[]
  /** The lines of the log. */
  readonly log: string[]
  /** Returns the number of calls of the store. */
  readonly storeCalls: () => number
}

export type SuiteHandler = Handler<string, unknown, unknown>

export interface RigOptions extends Partial<CommonOptions> {
  /** The handler. By default it does nothing. */
  readonly handler?: SuiteHandler
  /** Handlers by type. By default one handler runs every type. */
  readonly handlers?: Record<string, SuiteHandler>
}

/** Mounts a receiver with a store that counts its calls. Closes the server when the test ends. */
export async function rig(mount: Mount, asked: RigOptions = {}): Promise<Rig> {
  const { handler = () => {}, handlers, store = memoryStore(), ...rest } = asked
  const ran: WebhookEvent[] = []
  const watch = watched(store)
  const recorded =
    (handle: SuiteHandler): SuiteHandler =>
    (event, context) => {
      ran.push(event)
      return handle(event, context)
    }
  const byType = Object.entries(handlers ?? {}).map(([type, handle]) => [type, recorded(handle)] as const)
  const options: GateOptions = { secret, store: watch.store, ...watch.options, ...rest }
  const work = recorded(handler)
  const receiver = createReceiver<Record<string, unknown>, Schemas, unknown>({
    ...options,
    ...(handlers ? { handlers: Object.fromEntries(byType) } : { fallback: work }),
  })
  const mounted = await mount(receiver, { options, work })
  onTestFinished(async () => void (await mounted.close()))
  return { url: mounted.url, ran, ...watch.seen }
}

/** Returns a store that counts its calls, and options that record results and log lines. */
export function watched(store: Store<unknown>) {
  const results: ReceiveResult[] = []
  const log: string[] = []
  let calls = 0
  const write = (line: string) => void log.push(line)
  const counting: Store<unknown> = {
    once(event, work) {
      calls++
      return store.once(event, work)
    },
    check: () => store.check(),
    prune: (before, limit) => store.prune(before, limit),
    close: () => store.close(),
  }
  return {
    store: counting,
    options: {
      onResult: (result: ReceiveResult) => void results.push(result),
      logger: { info: write, warn: write, error: write },
    },
    seen: { results, log, storeCalls: () => calls },
  }
}

/** Resolves when `isSo` returns true. Rejects after a time limit. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = 15_000,
): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await isSo())) {
    if (Date.now() > deadline) {
      throw new Error(`never: ${what}`)
    }
    await pause(5)
  }
}

export const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** A promise, and the function that resolves it. */
export function gate<T = void>() {
  let open!: (value: T) => void
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
