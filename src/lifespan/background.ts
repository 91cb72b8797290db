import { beatRegularly, beatSeconds } from '../flow/beat.js'
import type { FlowGate } from '../flow/flow-gate.js'
import { RunApplier } from '../operations/run-applier.js'
import type { Pipeline } from '../options/settings.js'
import type { Queue } from '../queue/queue.js'
import type { ReceiveResult } from '../result.js'
import type { Inbox } from '../store/inbox.js'
import { Shutdown } from '../timing/shutdown.js'
import { queueWorker } from '../worker.js'
import { pruneRegularly } from './prune-regularly.js'

/** What runs the events of a queue. */
interface Consumer {
  /** Takes no more events; resolves when those that run have ended. */
  end(): Promise<void>
  abort(reason: Error): void
}

/** Work that was told to stop. */
export interface Stopping {
  /** Resolves when the events of the queue that run have ended. */
  ended(): Promise<void>
  /** Aborts the signal of every handler of the queue that runs. */
  abort(reason: Error): void
}

/**
 * The work of a receiver between `start()` and `stop()` besides its deliveries. It prunes, applies bulk runs and runs the
 * events of the queue. It also tells the telemetry about the inbox.
 */
export class Background {
  readonly #pipeline: Pipeline
  readonly #gate: FlowGate
  readonly #report: (result: ReceiveResult) => void
  #consumer: Promise<Consumer> | undefined
  #pruning: Shutdown | undefined
  #applier: RunApplier | undefined
  #endWatch: (() => void) | undefined

  constructor(pipeline: Pipeline, gate: FlowGate, report: (result: ReceiveResult) => void) {
    this.#pipeline = pipeline
    this.#gate = gate
    this.#report = report
  }

  /** Starts what is not running yet. Rejects if the queue cannot be consumed; it can then be started again. */
  async start(consume: boolean): Promise<void> {
    const { store, queue, telemetry } = this.#pipeline
    this.#startPruning()
    this.#startApplying(consume)
    this.#endWatch ??= store.inbox && telemetry.watch(store.inbox)
    if (!consume || !queue || !store.inbox) {
      return
    }
    this.#consumer ??= this.#consume(queue, store.inbox)
    try {
      await this.#consumer
    } catch (error) {
      this.#consumer = undefined
      throw error
    }
  }

  /** There may be a new bulk run. */
  wakeApplier(): void {
    this.#applier?.wake()
  }

  /** Tells everything to stop. */
  stop(): Stopping {
    const consumer = this.#consumer
    this.#pruning?.begin()
    this.#applier?.stop()
    this.#endWatch?.()
    this.#consumer = this.#pruning = this.#applier = this.#endWatch = undefined
    let running: Consumer | undefined
    return {
      async ended() {
        running = await consumer?.catch(() => undefined)
        await running?.end()
      },
      abort: (reason) => running?.abort(reason),
    }
  }

  #startPruning(): void {
    const { pruneEverySeconds, track } = this.#pipeline
    if (pruneEverySeconds && !this.#pruning) {
      this.#pruning = new Shutdown()
      track(pruneRegularly(this.#pipeline, pruneEverySeconds, this.#pruning))
    }
  }

  #startApplying(consume: boolean): void {
    const { store, queue, track } = this.#pipeline
    const { bulk, flow } = store.inbox ?? {}
    if (bulk && !this.#applier) {
      // A process that consumes is told of open runs by its beat.
      const pollSeconds = consume && queue && flow ? 3600 : beatSeconds
      this.#applier = new RunApplier(bulk, this.#pipeline, pollSeconds)
      track(this.#applier.work())
    }
  }

  async #consume(queue: Queue, inbox: Inbox<unknown>): Promise<Consumer> {
    const gate = this.#gate
    const { telemetry } = this.#pipeline
    const worker = queueWorker(this.#pipeline, inbox, this.#report, gate)
    const end = await queue.consume(worker, telemetry.watchRetries(inbox))
    const beating = new Shutdown()
    const wake = () => this.wakeApplier()
    const beats = inbox.flow && beatRegularly(inbox.flow, this.#pipeline, gate, wake, beating)
    return {
      async end() {
        beating.begin()
        gate.end()
        await Promise.all([end(), beats])
      },
      abort: worker.abort,
    }
  }
}
