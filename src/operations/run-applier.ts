import { StoreError } from '../errors.js'
import { priorityOf } from '../flow/priority.js'
import type { Settings } from '../options/settings.js'
import { tellQueue } from '../queue/tell-queue.js'
import type { CanaryOutcome, DueAgain, Run } from '../store/bulk-run.js'
import type { BulkStore } from '../store/bulk-store.js'
import { reasonOf } from '../store/reason.js'
import { Shutdown } from '../timing/shutdown.js'

/** The lease of a run after each step. If its process dies, the next process that looks after this time continues the run. */
const leaseSeconds = 15
/** The maximum number of events of one step, unless the store has a smaller one. */
const largestStep = 10
/** The pause after a step, as a multiple of the time of the step. Deliveries use the store in this pause. */
const restFactor = 4
/** How often to check a canary, and how long to wait after a failure of the store. */
const pauseSeconds = 1
/** How often to try an event if the queue rejects its job. */
const attempts = 3

type Applied = Pick<Settings, 'endpoint' | 'queue' | 'logger' | 'undoSeconds' | 'priorities'>

/** Applies the runs of an endpoint in the background. Other processes may do the same. */
export class RunApplier {
  readonly #bulk: BulkStore<unknown>
  readonly #settings: Applied
  readonly #pollSeconds: number
  readonly #shutdown = new Shutdown()
  readonly #applying = new Set<Promise<void>>()
  #idle = new Shutdown()

  /** Looks each `pollSeconds` for runs that another process started or left behind. */
  constructor(bulk: BulkStore<unknown>, settings: Applied, pollSeconds: number) {
    this.#bulk = bulk
    this.#settings = settings
    this.#pollSeconds = pollSeconds
  }

  /** Looks for runs immediately. */
  wake(): void {
    this.#idle.begin()
  }

  /** Takes no more runs. Other processes continue the current runs after their step. */
  stop(): void {
    this.#shutdown.begin()
    this.wake()
  }

  /** Resolves after `stop`, when no step is under way. */
  async work(): Promise<void> {
    while (!this.#shutdown.hasBegun) {
      this.#idle = new Shutdown()
      const isMore = await this.#take()
      if (!isMore) {
        await this.#idle.sleep(this.#pollSeconds, { keepsProcess: false })
      }
    }
    await Promise.all(this.#applying)
  }

  async #take(): Promise<boolean> {
    const token = crypto.randomUUID()
    try {
      const run = await this.#bulk.takeRun(this.#settings.endpoint, token, leaseSeconds)
      if (run) {
        const applying = this.#apply(run, token).finally(() => this.#applying.delete(applying))
        this.#applying.add(applying)
      }
      return run !== undefined
    } catch (error) {
      this.#settings.logger.error('cannot look for bulk runs; it is retried', error)
      return false
    }
  }

  /** Applies a run until it ends, or another process takes it over. Never rejects. */
  async #apply(taken: Run, token: string): Promise<void> {
    let run: Run | undefined = taken
    while (run && !this.#shutdown.hasBegun) {
      try {
        run = run.state === 'canary' ? await this.#watch(run, token) : await this.#advance(run, token)
      } catch (error) {
        const { id } = run as Run
        this.#settings.logger.error(`bulk ${id} waits for the store; it is retried`, error)
        await this.#shutdown.sleep(pauseSeconds)
        run = await this.#readAgain(run as Run)
      }
    }
    if (run) {
      // If this fails, another process waits for the end of the lease.
      const state = run.state === 'canary' ? 'canary' : 'running'
      await this.#settle(run, token, state, { leaseSeconds: 0 }).catch(() => {})
    }
  }

  /** The failed change may have been committed. With the old counts, a canary would be larger than it should be. */
  async #readAgain(run: Run): Promise<Run> {
    const found = await this.#bulk.readRun(run.id).catch(() => undefined)
    // If another process or an operator has the run now, the next change finds an old token.
    return found ? { ...run, applied: found.applied, remaining: found.remaining } : run
  }

  /** Changes the next events. Resolves to the new state of the run; `undefined` if it has ended, or another process has it. */
  async #advance(run: Run, token: string): Promise<Run | undefined> {
    if (run.remaining <= 0) {
      return this.#end(run, token, 'done', await this.#failedCanary(run))
    }
    const largest = this.#bulk.largestStep ?? largestStep
    const untilCanary = run.isPastCanary ? largest : run.canary - run.applied
    if (untilCanary <= 0) {
      return this.#settle(run, token, 'canary')
    }
    const startedAt = performance.now()
    const stepped = await this.#step(run, token, Math.min(largest, untilCanary, Math.ceil(run.perSecond)))
    if (stepped && stepped.remaining > 0) {
      const took = (performance.now() - startedAt) / 1000
      const pace = (run.remaining - stepped.remaining) / run.perSecond
      return this.#rest(stepped, token, Math.max(pace - took, restFactor * took))
    }
    return stepped
  }

  /** Waits before the next step. Renews the lease, because otherwise another process would take over a slow run and step too early. */
  async #rest(run: Run, token: string, seconds: number): Promise<Run | undefined> {
    const most = leaseSeconds / 3
    let left = seconds
    for (; left > most && !this.#shutdown.hasBegun; left -= most) {
      await this.#shutdown.sleep(most)
      // If it fails, the next one follows before the lease ends.
      if ((await this.#settle(run, token, 'running').catch(() => run)) === undefined) {
        return undefined
      }
    }
    await this.#shutdown.sleep(left)
    return run
  }

  /** Changes up to `most` events. Skips an event if the queue rejects its job repeatedly. */
  async #step(run: Run, token: string, most: number): Promise<Run | undefined> {
    try {
      return await this.#tryStep(run, token, most)
    } catch (error) {
      if (error instanceof StoreError) {
        throw error
      }
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#tryStep(run, token, 1)
      } catch (error) {
        if (error instanceof StoreError) {
          throw error
        }
        // The queue may be closing too. The next process tries the event again.
        if (this.#shutdown.hasBegun) {
          return run
        }
        if (attempt >= attempts) {
          const skipFirst = reasonOf(error)
          return this.#tryStep(run, token, 1, skipFirst)
        }
      }
      await this.#shutdown.sleep(pauseSeconds)
    }
  }

  async #tryStep(run: Run, token: string, most: number, skipFirst?: string): Promise<Run | undefined> {
    const { queue, endpoint, undoSeconds } = this.#settings
    if (runsEvents(run)) {
      await queue?.prepare?.(endpoint)
    }
    const options = { most, leaseSeconds, undoSeconds, skipFirst }
    const urgent = (job: DueAgain) => ({ ...job, priority: priorityOf(this.#settings, job.type) })
    const enqueue = async (tx: unknown, job: DueAgain) => queue?.enqueue?.(urgent(job), tx)
    const step = await this.#bulk.step(run.id, token, options, enqueue)
    if (!step) {
      return undefined
    }
    for (const job of step.due) {
      tellQueue(this.#settings.logger, () => queue?.committed?.(urgent(job)))
    }
    return step.run
  }

  /** Waits for the events of the canary. */
  async #watch(run: Run, token: string): Promise<Run | undefined> {
    const { open, failed } = await this.#canaryOutcome(run)
    if (failed.length > 0) {
      return this.#end(run, token, 'stopped', `its canary failed: ${failed.join(', ')}`)
    }
    if (open === 0) {
      return this.#settle(run, token, 'running', { isPastCanary: true })
    }
    await this.#shutdown.sleep(pauseSeconds)
    return this.#settle(run, token, 'canary')
  }

  /** Of an action that runs events. Of the others, `giveUp` itself makes its events dead. */
  async #canaryOutcome(run: Run): Promise<CanaryOutcome> {
    return runsEvents(run) && run.canary > 0 ? this.#bulk.canaryOutcome(run.id) : { open: 0, failed: [] }
  }

  /** Names the events of the canary that have failed, for a run that an operator resumed. It does not apply them again. */
  async #failedCanary(run: Run): Promise<string | undefined> {
    const { failed } = await this.#canaryOutcome(run)
    if (failed.length > 0) {
      const them =
        failed.length === 1 ? '1 event of its canary has' : `${failed.length} events of its canary have`
      return `${them} failed again: ${failed.join(', ')}. Make another plan for those that are dead`
    }
    return undefined
  }

  async #settle(
    run: Run,
    token: string,
    state: 'running' | 'canary',
    over: { readonly isPastCanary?: true; readonly leaseSeconds?: number } = {},
  ): Promise<Run | undefined> {
    const to = { state, isPastCanary: run.isPastCanary, leaseSeconds, ...over }
    const isHeld = await this.#bulk.settleRun(run.id, token, to)
    return isHeld ? { ...run, state, isPastCanary: to.isPastCanary } : undefined
  }

  async #end(run: Run, token: string, state: 'done' | 'stopped', note?: string): Promise<undefined> {
    const to = { state, isPastCanary: run.isPastCanary, leaseSeconds, ...(note !== undefined && { note }) }
    if (await this.#bulk.settleRun(run.id, token, to)) {
      const facts = `${run.applied} of ${run.count} applied`
      this.#settings.logger.info(`bulk ${run.id} is ${state}: ${[facts, note].filter(Boolean).join('; ')}`)
    }
  }
}

const runsEvents = ({ action }: Run) => action === 'replay' || action === 'retryNow'
