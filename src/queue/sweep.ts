import type { Inbox, StoredEvent } from '../store/inbox.js'
import { Alarm } from '../timing/alarm.js'
import type { Shutdown } from '../timing/shutdown.js'
import { type ListedJob, toJob } from './listed-job.js'

export interface SweepSettings {
  readonly inbox: Inbox<unknown>
  readonly endpoint: string
  readonly everySeconds: number
  /** The sweep ends with it. */
  readonly shutdown: Shutdown
  /** Rings when events may run that were held back, whose jobs were dropped. */
  readonly resumed?: Alarm
  /** The resources at their limit in this process, of which events wait. Their jobs wait in the engine. */
  limited(): readonly string[]
  /**
   * Adds a job for an event, unless one waits under this name already. `isOldest`: nothing older than the event is due, except what
   * the same search found. So its job may run before those that wait.
   */
  relist(job: ListedJob, name: string, isOldest: boolean): Promise<unknown>
  /** Called when a search fails. The next one follows. */
  readonly onError: (error: unknown) => void
}

/** How many events one search returns. They come without their bodies, because each may be large. */
const batch = 250

/** The maximum number of searches in a row. Each after the first leaves out the types that filled those before. */
const mostSearches = 10

/** After a resume there may be many events without a job. The next search follows when some of them have run. */
const catchUpSeconds = 0.2

/**
 * Finds events without a job and adds a job. Such events exist after a crash between the commit and the job, or if an
 * engine loses jobs. If an event is due in two consecutive searches, it has no job or waits for a free slot. In the
 * second case BullMQ ignores the extra job, and that of pg-boss finds nothing to do. After a resume one search is enough. Resolves when
 * the shutdown has begun.
 */
export async function sweep(settings: SweepSettings): Promise<void> {
  const {
    inbox,
    endpoint,
    everySeconds,
    shutdown,
    limited,
    relist,
    onError,
    resumed = new Alarm(),
  } = settings
  let waiting: ReadonlySet<string> = new Set()

  /**
   * The oldest due events. Behind a type or many resources at their limit, which would fill the searches, another event may have no
   * job.
   */
  async function findDue(): Promise<StoredEvent[]> {
    const found: StoredEvent[] = []
    const exceptTypes = new Set<string>()
    const exceptResources = limited()
    for (let searches = 0; searches < mostSearches; searches++) {
      const filter = { bodies: false, exceptTypes: [...exceptTypes], exceptResources }
      const page = await inbox.due(batch, endpoint, filter)
      found.push(...page)
      if (page.length < batch || shutdown.hasBegun) {
        break
      }
      for (const { type } of page) {
        exceptTypes.add(type)
      }
    }
    return found
  }

  async function search(): Promise<void> {
    const found = new Set<string>()
    for (const [i, event] of (await findDue()).entries()) {
      const name = nameOf(event)
      found.add(name)
      if (shutdown.hasBegun || !waiting.has(name)) {
        continue
      }
      await relist(toJob(event), name, i < batch)
    }
    waiting = found
  }

  /** Adds jobs for everything that is due, batch after batch. */
  async function catchUp(): Promise<void> {
    const added = new Set<string>()
    while (!shutdown.hasBegun) {
      const events = await findDue()
      for (const [i, event] of events.entries()) {
        const name = nameOf(event)
        if (shutdown.hasBegun || added.has(name)) {
          continue
        }
        added.add(name)
        await relist(toJob(event), name, i < batch)
      }
      if (events.length < batch) {
        return
      }
      await shutdown.sleep(catchUpSeconds)
    }
  }

  shutdown.onBegin(() => resumed.ring())
  while (!shutdown.hasBegun) {
    await search().catch(onError)
    if (await resumed.wait(everySeconds)) {
      await catchUp().catch(onError)
    }
  }
}

/**
 * The name changes after each attempt and each replay, because an event with progress has a job. It also changes if the event was
 * discarded and arrived again, because an engine may keep the ended job of its first arrival.
 */
const nameOf = ({ key, generation, attempt, failures, receivedAt }: StoredEvent) =>
  [generation, attempt, failures, receivedAt, key].join(' ')
