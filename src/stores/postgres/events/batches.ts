import { StoreError } from '../../../errors.js'

/** How many batches run concurrently, and how many items one has at most. */
export interface BatchLimits {
  readonly lanes: number
  readonly largestCount: number
}

const largestBytes = 4 * 2 ** 20

interface Item {
  readonly key: string
  readonly body: Uint8Array
  /** `workSeconds` is the remaining time for the response to its delivery. */
  readonly durations: { readonly workSeconds: number }
}

interface Waiting<T extends Item> {
  readonly item: T
  /** By `performance.now()`. */
  readonly until: number
  readonly resolve: (isIn: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Gathers items, so that many share one statement and one flush of the disk. A batch contains the items that arrive in one
 * turn of the event loop, or while all lanes run a batch. An item that has waited longer than its delivery is rejected. Otherwise
 * everything that arrives while a server hangs would stay in memory.
 */
export class Batches<T extends Item> {
  readonly #run: (items: readonly T[]) => Promise<ReadonlySet<string>>
  readonly #largestCount: number
  readonly #added = new Map<string, Promise<boolean>>()
  #waiting: Waiting<T>[] = []
  /** No item that waits is late before this time. Receivers with other time limits may share a store. */
  #nextLate = Number.POSITIVE_INFINITY
  #free: number
  #isScheduled = false

  /** `run` resolves to the keys of the inserted items. If it rejects, no item was inserted. */
  constructor(
    { lanes, largestCount }: BatchLimits,
    run: (items: readonly T[]) => Promise<ReadonlySet<string>>,
  ) {
    this.#run = run
    this.#free = lanes
    this.#largestCount = largestCount
  }

  /**
   * Resolves to whether the item was inserted. If a concurrent item has the same key, waits for that one and resolves
   * to false.
   */
  add(item: T): Promise<boolean> {
    const concurrent = this.#added.get(item.key)
    const no = () => false
    if (concurrent) {
      return concurrent.then(no, no)
    }
    const now = performance.now()
    this.#giveUpLate(now)
    const until = now + item.durations.workSeconds * 1000
    this.#nextLate = Math.min(this.#nextLate, until)
    const added = new Promise<boolean>((resolve, reject) => {
      this.#waiting.push({ item, until, resolve, reject })
    })
    this.#added.set(item.key, added)
    this.#schedule()
    return added
  }

  #schedule(): void {
    if (this.#isScheduled || this.#free === 0 || this.#waiting.length === 0) {
      return
    }
    this.#isScheduled = true
    // Runs after the poll phase. All data that the sockets received in this turn is then in the queue.
    setImmediate(() => {
      this.#isScheduled = false
      const batch = this.#take()
      if (batch.length > 0) {
        void this.#start(batch)
      }
      this.#schedule()
    })
  }

  #giveUpLate(now: number): void {
    if (now < this.#nextLate) {
      return
    }
    const late = this.#waiting.filter(({ until }) => until <= now)
    this.#waiting = this.#waiting.filter(({ until }) => now < until)
    this.#nextLate = this.#waiting.reduce(
      (least, { until }) => Math.min(least, until),
      Number.POSITIVE_INFINITY,
    )
    for (const { item, reject } of late) {
      this.#added.delete(item.key)
      const fact = 'Postgres did not accept the event in time; the sender delivers it again'
      reject(new StoreError(fact, { reason: 'timeout' }))
    }
  }

  #take(): Waiting<T>[] {
    const now = performance.now()
    this.#giveUpLate(now)
    let count = 0
    let bytes = 0
    for (const { item } of this.#waiting) {
      bytes += item.body.length
      if (count === this.#largestCount || (count > 0 && bytes > largestBytes)) {
        break
      }
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #start(batch: readonly Waiting<T>[]): Promise<void> {
    let settle: (each: Waiting<T>) => void
    this.#free--
    try {
      const keys = await this.#run(batch.map(({ item }) => item))
      settle = ({ item, resolve }) => resolve(keys.has(item.key))
    } catch (error) {
      settle = ({ reject }) => reject(error)
    }
    for (const each of batch) {
      this.#added.delete(each.item.key)
      settle(each)
    }
    this.#free++
    this.#schedule()
  }
}
