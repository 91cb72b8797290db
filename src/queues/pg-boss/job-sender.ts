import { sha256 } from '#crypto'
import type { ListedJob } from '../../queue/listed-job.js'
import { type PgBossClient, sendOptions, toData } from './pg-boss-engine.js'

interface JobSenderSettings {
  readonly boss: PgBossClient
  readonly queue: string
  readonly takeOverSeconds: number
  priorityOf(type: string): number | undefined
}

/** Sends jobs to one queue of pg-boss. */
export class JobSender {
  readonly #settings: JobSenderSettings
  /** Whether this process has ever held a job until a time. */
  #hasHeld = false

  constructor(settings: JobSenderSettings) {
    this.#settings = settings
  }

  /** Resolves to null if pg-boss has a job with the id. It keeps ended jobs for some time. */
  send(
    job: ListedJob,
    options: { readonly startAfter?: number; readonly id?: string },
    isOldest = false,
  ): Promise<unknown> {
    const { boss, queue, takeOverSeconds, priorityOf } = this.#settings
    return boss.send(queue, toData(job), {
      ...sendOptions(takeOverSeconds, priorityOf(job.type), isOldest),
      ...options,
    })
  }

  /**
   * Sends the job that follows a held one. An event may have several jobs, because the sweep adds one when it finds none. They
   * all take one of two ids, and each the one that it does not have. So at most two wait, however long the event is held.
   */
  async hold(heldId: string, job: ListedJob, seconds: number): Promise<void> {
    const { boss, queue } = this.#settings
    this.#hasHeld = true
    const [first, second] = await idsOfHeld(job)
    const id = heldId === first ? second : first
    const options = { id, startAfter: Math.ceil(seconds) }
    if ((await this.send(job, options)) || (await this.#find(id)) === 'waiting') {
      return
    }
    await boss.deleteJob(queue, id)
    await this.send(job, options)
  }

  /** Sends a job for the next attempt of an event, whose other jobs came too early. One job for each attempt is enough. */
  async sendFor(retryAt: string, job: ListedJob, seconds: number): Promise<void> {
    const { key, generation, failures } = job
    const id = await uuidOf(['retry', retryAt, generation, failures, key].join(' '))
    await this.send(job, { id, startAfter: Math.ceil(seconds) })
  }

  /**
   * Sends a job for an event that no process runs, unless a job for it is waiting. An active or ended job does not
   * count, because its worker may be dead. pg-boss keeps such a job, so the new job needs another id. Concurrent
   * searches of several processes choose the same id. The job of one of the oldest events runs before those of its
   * priority that wait.
   */
  async relist(job: ListedJob, name: string, isOldest: boolean): Promise<void> {
    if (this.#hasHeld && (await this.#isHeld(job))) {
      return
    }
    for (let round = 0; ; round++) {
      const id = await uuidOf(`${name} ${round}`)
      if ((await this.send(job, { id }, isOldest)) || (await this.#find(id)) !== 'unusable') {
        return
      }
    }
  }

  async #isHeld(job: ListedJob): Promise<boolean> {
    const [first, second] = await idsOfHeld(job)
    return (await this.#find(first)) === 'waiting' || (await this.#find(second)) === 'waiting'
  }

  /** `unusable` if it has ended, or is active: its worker may be dead. */
  async #find(id: string): Promise<'waiting' | 'unusable' | undefined> {
    const { boss, queue } = this.#settings
    const kept = await boss.getJobById(queue, id)
    return kept ? (kept.state === 'created' || kept.state === 'retry' ? 'waiting' : 'unusable') : undefined
  }
}

const idsOfHeld = ({ key, generation, failures }: ListedJob) => {
  const name = [generation, failures, key].join(' ')
  return Promise.all([uuidOf(`held 0 ${name}`), uuidOf(`held 1 ${name}`)])
}

async function uuidOf(text: string): Promise<string> {
  const hex = await sha256(text)
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
