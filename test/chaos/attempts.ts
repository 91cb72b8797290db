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
  const entered = new Map<string, JournalLine>()
  const failed = new Map<string, JournalLine>()
  const broken: string[] = []
  for (const line of journal) {
    const { what, id, attempt = 0 } = line
    if (what === 'clock' && usesOwnClock) {
      clock = line
    }
    if (what === 'failed') {
      failed.set(`${id} ${attempt}`, line)
    }
    const isWrong = clock !== undefined && millisecondsBetween(clock, line) < afterClockMs
    if (what !== 'entered' || isWrong) {
      continue
    }
    const [last, failure] = [entered.get(`${id} ${attempt - 1}`), failed.get(`${id} ${attempt - 1}`)]
    // A handler that fails after its lease fails too late: another process may run the next attempt already.
    const isTakenOver = last !== undefined && millisecondsBetween(last, line) > 0.8 * leaseSeconds * 1000
    if (failure && !isTakenOver && millisecondsBetween(failure, line) < shortestPauseMs) {
      const pause = millisecondsBetween(failure, line).toFixed(1)
      broken.push(
        `no pause: attempt ${attempt} of ${id} began ${pause} ms after the failure of the one before`,
      )
    }
    entered.set(`${id} ${attempt}`, line)
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
  const mine = () => world.journal().filter(({ id = '' }) => ids.has(id))
  const succeeded = () => new Set(mine().flatMap(({ what, id }) => (what === 'left' ? [id] : [])))
  await world.until('the events of the calm succeed', () => succeeded().size === count)
  const seen = new Set<string>()
  return mine().flatMap(({ what, id, attempt }) => {
    const entry = `attempt ${attempt} of ${id}`
    const isRepeated = what === 'entered' && seen.has(entry)
    seen.add(what === 'entered' ? entry : '')
    return isRepeated ? [`repeated without a fault: ${entry}`] : []
  })
}
