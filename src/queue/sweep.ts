import type { Inbox, StoredEvent } from '../store/inbox.js'
import { type ListedJob, toJob } from './take-job.js'

export interface SweepSettings {
  readonly inbox: Inbox<unknown>
  readonly endpoint: string
  readonly everySeconds: number
  /** Lists a job unless the engine still keeps one that was listed under this name. */
  relist(job: ListedJob, name: string): Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** How many events one look takes. */
const batch = 250

/**
 * Finds events that the engine has no job for, as when its Redis was flushed, a job was deleted by hand, or another
 * queue stood here before, and lists them again: the inbox is the list that counts. What is due and held by nobody at
 * two looks in a row has none, or waits its turn; then the second job finds that the first was faster.
 */
export function startSweep({
  inbox,
  endpoint,
  everySeconds,
  relist,
  onError,
}: SweepSettings): () => Promise<void> {
  let waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let looking = Promise.resolve()
  let isStopped = false

  async function look(): Promise<void> {
    const due = await inbox.due(batch, endpoint)
    const found = new Set<string>()
    for (const event of due) {
      const name = nameOf(event)
      found.add(name)
      if (isStopped || !waiting.has(name)) continue
      await relist(toJob(event), name)
    }
    waiting = found
  }

  function lookAgain(): void {
    looking = look()
      .catch(onError)
      .then(() => {
        if (!isStopped) timer = setTimeout(lookAgain, everySeconds * 1000)
      })
  }

  lookAgain()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await looking
  }
}

/** Another name after each attempt and each replay, so that an event that is worked on is not taken for forgotten. */
const nameOf = ({ key, generation, attempt, failures }: StoredEvent) =>
  [generation, attempt, failures, key].join(' ')
