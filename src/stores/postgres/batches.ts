import { StoreError } from '../../errors.js'

/** How many batches are under way at once: while one is flushed to the disk, the next is run. */
const lanes = 2
const largestCount = 200
/** Less is not worth a batch of its own beside another: it has a statement to begin and a flush to wait for. */
const smallestShare = 25
/** For so long after a batch has ended the store counts as loaded, in milliseconds. */
const loadedFor = 5
const largestBytes = 4 * 2 ** 20

interface Item {
  readonly key: string
  readonly body: Uint8Array
  /** Who has it may be answered for so long, and no longer. */
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
 * Gathers what comes in one turn of the event loop, or while others are under way, so that it shares one statement and
 * one flush of the disk. What comes alone goes alone, and at once; what comes to a store that idles stays in one batch.
 * What has waited for longer than its delivery is given up, or all that comes while a server hangs would be kept.
 */
export class Batches<T extends Item> {
  readonly #run: (items: readonly T[]) => Promise<ReadonlySet<string>>
  readonly #added = new Map<string, Promise<boolean>>()
  #waiting: Waiting<T>[] = []
  #free = lanes
  #isScheduled = false
  /** When a batch has ended last. */
  #endedAt = Number.NEGATIVE_INFINITY

  /** `run` resolves to the keys of the items that are in; where it rejects, none is. */
  constructor(run: (items: readonly T[]) => Promise<ReadonlySet<string>>) {
    this.#run = run
  }

  /** Resolves to whether the item is in. For a twin of one that is under way, that is no, and only after it. */
  add(item: T): Promise<boolean> {
    const concurrent = this.#added.get(item.key)
    const no = () => false
    if (concurrent) return concurrent.then(no, no)
    const now = performance.now()
    this.#giveUpLate(now)
    const until = now + item.durations.workSeconds * 1000
    const added = new Promise<boolean>((resolve, reject) => {
      this.#waiting.push({ item, until, resolve, reject })
    })
    this.#added.set(item.key, added)
    this.#schedule()
    return added
  }

  #schedule(): void {
    if (this.#isScheduled || this.#free === 0 || this.#waiting.length === 0) return
    this.#isScheduled = true
    // After the poll phase: whatever the sockets brought in this turn is waiting by then.
    setImmediate(() => {
      this.#isScheduled = false
      const batch = this.#take()
      if (batch.length > 0) void this.#start(batch)
      this.#schedule()
    })
  }

  #giveUpLate(now: number): void {
    const first = this.#waiting.findIndex(({ until }) => now < until)
    const late = this.#waiting.splice(0, first < 0 ? this.#waiting.length : first)
    for (const { item, reject } of late) {
      this.#added.delete(item.key)
      reject(new StoreError('Postgres has not come to accept an event in time; it is tried again'))
    }
  }

  #take(): Waiting<T>[] {
    const now = performance.now()
    this.#giveUpLate(now)
    const most = this.#share(now)
    let count = 0
    let bytes = 0
    for (const { item } of this.#waiting) {
      bytes += item.body.length
      if (count === most || (count > 0 && bytes > largestBytes)) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  /**
   * How many the next batch takes at most. Under load, where a batch has just ended, as many come again at once: all in
   * one batch they would use one lane alone, and of 200 at once each took 24 us instead of 18.
   */
  #share(now: number): number {
    const share = Math.ceil(this.#waiting.length / this.#free)
    const isShared = now - this.#endedAt < loadedFor && share >= smallestShare
    return isShared ? Math.min(share, largestCount) : largestCount
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
    this.#endedAt = performance.now()
    this.#schedule()
  }
}
