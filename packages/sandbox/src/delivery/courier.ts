import { setMaxListeners } from 'node:events'
import { Pause } from '../pause.js'
import type { AttemptNotice } from './attempt-notice.js'
import type { Attempting } from './attempting.js'
import type { Attempt } from './attempts.js'
import { type DeliverOptions, deliver, type Edit } from './deliver.js'
import {
  type Delivery,
  dueDeliveries,
  nextDueAfter,
  readDelivery,
  subscriptionsWithPending,
} from './deliveries.js'
import { Pruning } from './prune.js'
import { resumeReplays } from './resume-replays.js'
import { readSubscription } from './subscriptions.js'
import { UnderWay } from './under-way.js'

/** Maximum number of concurrent attempts for one subscription. Attempts that a person asks for do not count. */
const maxPerSubscription = 4
/** Attempts under way at a time for all subscriptions together, so that thousands of them do not exhaust the sockets. */
const maxInAll = 256

export interface CourierOptions extends DeliverOptions {
  /** Called when an attempt starts and after its end is committed. Must not throw. */
  readonly onAttempt?: ((notice: AttemptNotice) => void) | undefined
  /** Called if an attempt that is due cannot be made or stored. It is repeated after a pause. Must not throw. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Makes the attempts that are due and plans the retries of those that fail. All its state is in the database, so another
 * courier on the same file picks up where this one stopped. It repeats an attempt whose end was not committed.
 */
export class Courier implements Attempting {
  readonly #options: CourierOptions
  readonly #underWay = new UnderWay()
  readonly #whenQuiet: (() => void)[] = []
  readonly #pruning: Pruning
  readonly #pause = new Pause(() => this.wake())
  #stopping = stopper()
  #isScheduled = false
  #cancelTimer: () => void = () => {}
  /** The time up to which due deliveries of every subscription were searched. */
  #dispatchedUntil = 0

  constructor(options: CourierOptions) {
    this.#options = options
    this.#pruning = new Pruning(options.database)
    resumeReplays(options)
  }

  /** Starts the attempts that are due. Call it after each commit that recorded an event, and once after the start. */
  wake(): void {
    if (this.#isScheduled || this.#isStopped) {
      return
    }
    this.#isScheduled = true
    const dispatched = new Promise<void>((resolve) => {
      setImmediate(() => {
        this.#isScheduled = false
        this.#dispatch()
        this.#noteQuiet()
        resolve()
      })
    })
    this.#options.clock.hold(dispatched)
  }

  /** Resolves when no attempt is under way and none is due by the sandbox's clock. Later retries may be planned. */
  async idle(): Promise<void> {
    this.wake()
    await this.#quiet()
  }

  /** As {@link Attempting} has it. */
  async attemptNow(deliveryId: string, edit: Edit = {}): Promise<Attempt | undefined> {
    const delivery = readDelivery(this.#options.database, deliveryId)
    return delivery && this.#canStart(delivery) ? this.#start(delivery, edit) : undefined
  }

  /** True while an attempt for this delivery is under way. */
  isUnderWay(deliveryId: string): boolean {
    return this.#underWay.has(deliveryId)
  }

  /** Aborts every running attempt, runs `clear`, which may delete their deliveries, and continues. */
  async reset(clear: () => void): Promise<void> {
    await this.#stop()
    clear()
    this.#stopping = stopper()
    this.wake()
  }

  /** Aborts every running attempt and starts no other. The next courier repeats those attempts. */
  async close(): Promise<void> {
    await this.#stop()
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    this.#cancelTimer()
    this.#pause.cancel()
    await this.#quiet()
  }

  async #quiet(): Promise<void> {
    while (this.#isScheduled || this.#underWay.size > 0) {
      await new Promise<void>((resolve) => this.#whenQuiet.push(resolve))
    }
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  #dispatch(): void {
    if (this.#isStopped) {
      return
    }
    try {
      this.#dispatchDue()
    } catch (error) {
      this.#pause.begin()
      this.#options.onFailure(error)
    }
  }

  #dispatchDue(): void {
    const { database, clock } = this.#options
    this.#dispatchedUntil = clock.now()
    for (const subscriptionId of subscriptionsWithPending(database)) {
      if (this.#underWay.size >= maxInAll) {
        break
      }
      this.#dispatchTo(subscriptionId)
    }
    this.#setTimer()
  }

  #dispatchTo(subscriptionId: string): void {
    const { database, clock } = this.#options
    const busy = this.#underWay.countOf(subscriptionId)
    const free = Math.min(maxPerSubscription - busy, maxInAll - this.#underWay.size)
    if (free <= 0) {
      return
    }
    // A running attempt stays due in the database until it has ended.
    const due = dueDeliveries(database, subscriptionId, clock.now(), busy + free)
    const ready = due.filter((delivery) => this.#canStart(delivery)).slice(0, free)
    for (const delivery of ready) {
      this.#start(delivery).catch(this.#options.onFailure)
    }
  }

  #canStart({ id, subscriptionId }: Delivery): boolean {
    if (this.#isStopped || this.#underWay.has(id)) {
      return false
    }
    return readSubscription(this.#options.database, subscriptionId)?.status === 'enabled'
  }

  #start(delivery: Delivery, edit: Edit = {}): Promise<Attempt | undefined> {
    const work = this.#run(delivery, edit)
    this.#options.clock.hold(work)
    return work
  }

  async #run(delivery: Delivery, edit: Edit): Promise<Attempt | undefined> {
    this.#underWay.add(delivery.id, delivery.subscriptionId)
    try {
      const attempt = await this.#attempt(delivery, edit)
      const wasFull = this.#underWay.size >= maxInAll
      this.#underWay.delete(delivery.id)
      this.#refill(delivery.subscriptionId, wasFull)
      return attempt
    } catch (error) {
      // The delivery is still due. Without a pause, the receiver would get it again and again.
      this.#underWay.delete(delivery.id)
      this.#pause.begin()
      throw error
    } finally {
      this.#noteQuiet()
    }
  }

  /** Gives the place of an attempt that has ended to the next delivery. */
  #refill(subscriptionId: string, wasFull: boolean): void {
    if (this.#isStopped) {
      return
    }
    if (wasFull) {
      this.wake()
    } else {
      this.#dispatchTo(subscriptionId)
    }
    this.#setTimer()
  }

  async #attempt(delivery: Delivery, edit: Edit): Promise<Attempt | undefined> {
    const { database, options, onAttempt } = this.#options
    const number = delivery.attempts + 1
    const of = Math.max(number, delivery.cause === 'replay' ? 1 : options.retrySeconds.length + 1)
    onAttempt?.({ phase: 'started', delivery, number, of })
    const attempt = await deliver(this.#options, delivery, { ...edit, signal: this.#stopping.signal })
    if (!attempt) {
      return undefined
    }
    this.#pruning.noteAttempt()
    const settled = readDelivery(database, delivery.id)
    if (settled) {
      onAttempt?.({ phase: 'ended', delivery: settled, number, of, attempt })
    }
    return attempt
  }

  #setTimer(): void {
    this.#cancelTimer()
    if (this.#isStopped) {
      return
    }
    const { database, clock } = this.#options
    // Includes the past, because deliveries may have become due since the last search.
    const dueAt = nextDueAfter(database, this.#dispatchedUntil)
    this.#cancelTimer = dueAt === undefined ? () => {} : clock.at(dueAt, () => this.#dispatch())
  }

  #noteQuiet(): void {
    if (this.#isScheduled || this.#underWay.size > 0) {
      return
    }
    for (const resolve of this.#whenQuiet.splice(0)) {
      resolve()
    }
  }
}

/** All running attempts listen to one signal. Node.js warns of more than ten listeners. */
function stopper(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}
