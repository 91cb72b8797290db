import { setTimeout as sleep } from 'node:timers/promises'
import type { JournalLine } from './modes.js'
import type { World } from './world.js'

/** Half of the first pause in `open-queue.ts`: the shortest pause that a queue may choose, in ms. */
const shortestPauseMs = 100

/** How long a changed clock can have an effect: a jump lasts 1.5 s, and what was written then is read later. In ms. */
const afterClockMs = 5000

const millisecondsBetween = (from: JournalLine, to: JournalLine) =>
  Number(BigInt(to.at) - BigInt(from.at)) / 1e6

/**
 * Finds attempts that began too soon after the failure of the one before. SQLite has no clock but those of the
 * processes. So with `usesOwnClock` attempts do not count while a clock may be wrong.
 */
export function hastyAttempts(
  journal: readonly JournalLine[],
  leaseSeconds: number,
  usesOwnClock: boolean,
): string[] {
  let clock: JournalLine | undefined
  const claims = new Map<string, JournalLine>()
  /**
   * The last claim of each attempt that was entered. A second process claims the same attempt if the first one lost its claim, for
   * example with its connection. Then only the failure of the second one counts, even if the first one fails later.
   */
  const claimed = new Map<string, JournalLine>()
  const failed = new Map<string, JournalLine>()
  const broken: string[] = []
  for (const line of journal) {
    const { what, id, pid, attempt = 0 } = line
    if (what === 'claims') {
      claims.set(`${id} in ${pid}`, line)
    }
    if (what === 'clock' && usesOwnClock) {
      clock = line
    }
    if (what === 'failed') {
      failed.set(`${id} ${attempt} in ${pid}`, line)
    }
    if (what !== 'entered') {
      continue
    }
    claimed.set(`${id} ${attempt}`, claims.get(`${id} in ${pid}`) ?? line)
    if (clock !== undefined && millisecondsBetween(clock, line) < afterClockMs) {
      continue
    }
    const last = claimed.get(`${id} ${attempt - 1}`)
    const failure = failed.get(`${id} ${attempt - 1} in ${last?.pid}`)
    // A handler that fails after its lease fails too late: another process may run the next attempt already. The lease begins
    // with the claim, and on a busy machine the handler begins much later.
    const isTakenOver = last !== undefined && millisecondsBetween(last, line) > 0.8 * leaseSeconds * 1000
    if (failure && !isTakenOver && millisecondsBetween(failure, line) < shortestPauseMs) {
      const pause = millisecondsBetween(failure, line).toFixed(1)
      broken.push(
        `no pause: attempt ${attempt} of ${id} began ${pause} ms after the failure of the one before`,
      )
    }
  }
  return broken
}

/**
 * Sends events that fail once, without any fault. Then a failed attempt is never repeated under its number. Under faults it
 * may be, because its process or its server can end before the failure is committed.
 */
export async function repeatedInCalm(world: World, count = 30): Promise<string[]> {
  const { sender } = world
  const events = await Promise.all(Array.from({ length: count }, () => sender.event({ behavior: 'flaky' })))
  await sender.sendAll(events)
  const ids = new Set(events.map(({ id }) => id))
  const mine = (journal: readonly JournalLine[]) => journal.filter(({ id = '' }) => ids.has(id))
  await whileMoving('the events of the calm succeed', () => {
    const journal = world.journal()
    const succeeded = new Set(mine(journal).flatMap(({ what, id }) => (what === 'left' ? [id] : [])))
    // Events from before the calm take places too, so they count as movement.
    return { moved: journal.length, isDone: succeeded.size === count }
  })
  return repeatedEntries(mine(world.journal()))
}

/**
 * Finds attempts that were entered again under their number. Not if the handler had exceeded its time limit: on a busy machine
 * the claim of such an attempt may end before the failure is noted.
 */
export function repeatedEntries(journal: readonly JournalLine[]): string[] {
  const entryOf = ({ id, attempt }: JournalLine) => `attempt ${attempt} of ${id}`
  const ofProcess = (line: JournalLine) => `${entryOf(line)} in process ${line.pid}`
  // A process that was blocked notes this late, even after another process has entered.
  const overdue = new Set(journal.filter(({ what }) => what === 'overdue').map(ofProcess))
  const last = new Map<string, JournalLine>()
  return journal.flatMap((line) => {
    if (line.what !== 'entered') {
      return []
    }
    const before = last.get(entryOf(line))
    last.set(entryOf(line), line)
    return before && !overdue.has(ofProcess(before)) ? [`repeated without a fault: ${entryOf(line)}`] : []
  })
}

/** Waits until something is done. Throws if nothing moves for a time, or when the longest time is over. */
export async function whileMoving(
  what: string,
  look: () => { readonly moved: number; readonly isDone: boolean },
  { stillSeconds = 30, mostSeconds = 300 } = {},
): Promise<void> {
  const from = performance.now()
  let [movedAt, last] = [from, -1]
  for (;;) {
    const { moved, isDone } = look()
    if (isDone) {
      return
    }
    const now = performance.now()
    if (moved !== last) {
      ;[movedAt, last] = [now, moved]
    }
    if (now - from > mostSeconds * 1000) {
      throw new Error(`not within ${mostSeconds} s: ${what}`)
    }
    if (now - movedAt > stillSeconds * 1000) {
      throw new Error(`nothing moved for ${stillSeconds} s: ${what}`)
    }
    // The journal of an hour takes a while to read.
    await sleep(100)
  }
}
