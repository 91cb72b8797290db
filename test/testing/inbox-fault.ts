import type { Store } from '../../src/store/store.js'
import { type SqliteDatabase, type SqliteTx, sqliteStore } from '../../src/stores/sqlite.js'
import { inboxSuite } from '../../src/testing/index.js'
import { type Calls, type Fault, type Outcome, withFault } from './call-fault.js'
import { memorySqlite } from './memory-sqlite.js'

/** The length of the leases that a law lets expire, in seconds. */
const shortLeaseSeconds = 0.1

export interface Trial {
  /** In one call of one verb. Absent: the inbox is right. */
  readonly fault?: Fault
  /** How the calls end on an inbox that is right. */
  readonly right?: ReadonlyMap<string, Outcome>
  /** Called for every call, in the order in which they begin. */
  readonly note?: Calls['note']
  /** How long the law may take. */
  readonly mostMs?: number
}

/** Runs one law on an inbox with a fault. Rejects if the law fails, or takes too long. */
export async function runFaulty(
  law: string,
  { fault, right, note, mostMs = 20_000 }: Trial,
  lawsOf: (calls: Calls) => ReadonlyMap<string, () => Promise<void>>,
): Promise<void> {
  const calls: Calls = { counts: new Map(), fault, right, note }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      calls.isOver = true
      reject(new Error(tooLate))
    }, mostMs)
  })
  try {
    await Promise.race([lawsOf(calls).get(law)?.(), late])
  } finally {
    clearTimeout(timer)
  }
}

const tooLate = 'the law takes too long'

/** Databases that no law uses now. To make the tables takes longer than most laws. */
const free: { readonly handle: SqliteDatabase; runs: number }[] = []

function makeDatabase() {
  const handle = memorySqlite()
  handle.exec('CREATE TABLE words (word TEXT PRIMARY KEY)')
  return { handle, runs: 0 }
}

/** Runs one law of inboxes on two instances with a fault over one database. Rejects if the law fails. */
export async function runInboxLaw(law: string, trial: Trial = {}): Promise<void> {
  const database = free.pop() ?? makeDatabase()
  const { handle } = database
  const written = () =>
    handle
      .prepare('SELECT word FROM words')
      .all()
      .map((row) => (row as { word: string }).word)
  let isLate = false
  try {
    await runFaulty(
      law,
      trial,
      (calls) => registered(() => withFault(sqliteStore(handle), calls), written).laws,
    )
  } catch (error) {
    isLate = (error as Error).message === tooLate
    throw error
  } finally {
    // Searches get slower with the events of the laws before. A law that is late may still use its database.
    if (++database.runs < 50 && !isLate) {
      free.push(database)
    } else if (!isLate) {
      handle.close()
    }
  }
}

function registered(makeStore: () => Store<SqliteTx>, written: () => string[]) {
  const laws = new Map<string, () => Promise<void>>()
  inboxSuite((name, law) => void laws.set(name, law), makeStore, {
    write: (tx, word) => tx.write((database) => database.prepare('INSERT INTO words VALUES (?)').run(word)),
    written,
    misuses: { commits: (tx) => tx.write((database) => void database.exec('COMMIT')) },
    lacks: ['take'],
    shortLeaseSeconds,
  })
  return { laws }
}

/** The names of all laws of inboxes that the store has the capabilities for. */
export const inboxLaws = (): string[] => [
  ...registered(
    () => sqliteStore(memorySqlite()),
    () => [],
  ).laws.keys(),
]
