import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredEvent } from '../../src/store/inbox.js'
import { hastyAttempts } from './attempts.js'
import type { Effect } from './backend.js'
import type { JournalLine } from './modes.js'
import { marker } from './sender.js'
import type { World } from './world.js'

/** The result of a run. */
export interface Report {
  /** The number of events sent, and how many were acknowledged. */
  readonly sent: number
  readonly acknowledged: number
  readonly effects: number
  readonly dead: number
  readonly quarantined: number
  readonly deliveries: number
  /** Violated invariants with evidence. Empty if all hold. */
  readonly broken: readonly string[]
}

export interface CheckOptions {
  /** Whether events may be dead that were not doomed, for example when a server was down during all attempts. */
  readonly mayDie?: boolean
  /** Longest time until the queue is empty, in seconds. Default 60. */
  readonly seconds?: number
}

/** The facts after all events have ended. */
interface Books {
  readonly world: World
  readonly effects: ReadonlyMap<string, readonly Effect[]>
  readonly events: ReadonlyMap<string, StoredEvent>
  /** Content hashes. */
  readonly quarantined: ReadonlySet<string>
  readonly journal: readonly JournalLine[]
  readonly mayDie: boolean
}

/** Waits until all events have ended. Then compares the database with the responses that the sender got. */
export async function check(world: World, options: CheckOptions = {}): Promise<Report> {
  const unsettled = await settle(world, options.seconds ?? 60)
  const books = await readBooks(world, options.mayDie ?? false)
  const { entries, acknowledged } = world.sender.ledger
  const ids = acknowledged.map(({ sent }) => sent.id)
  const leftovers = await untilGone(
    () => world.backend.leftovers(world.leaseSeconds, ids),
    4 * world.leaseSeconds,
  )
  const broken = [...unsettled, ...leftovers, ...invariants.flatMap((invariant) => invariant(books))]
  return {
    sent: entries.size,
    acknowledged: acknowledged.length,
    effects: sum([...books.effects.values()].map(({ length }) => length)),
    dead: [...books.events.values()].filter(({ state }) => state === 'dead').length,
    quarantined: books.quarantined.size,
    deliveries: sum([...entries.values()].map(({ attempts }) => attempts)),
    broken,
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
const hash = (body: Uint8Array) => createHash('sha256').update(body).digest('hex')

const invariants: readonly ((books: Books) => string[])[] = [
  everyAcknowledgedEventHasItsEffect,
  noEffectIsRepeated,
  noHandlerIsEnteredTwiceAtOnce,
  aFailedAttemptKeepsItsPause,
  whatIsForgedWritesNothing,
  onlyTheDoomedDie,
  noLogTellsSecretsOrBodies,
  noAnswerContradictsAnother,
  noProcessEndsByItself,
]

/** An event may also be dead or quarantined, and is then listed. */
function everyAcknowledgedEventHasItsEffect({ world, effects, events, quarantined }: Books): string[] {
  return world.sender.ledger.acknowledged.flatMap(({ sent, answers }) => {
    const isQuarantined = quarantined.has(hash(sent.body))
    const event = events.get(sent.id)
    const isDone = effects.has(sent.id) || event?.state === 'dead'
    if (
      sent.fate === 'kept' ? isDone || isQuarantined : sent.fate === 'quarantined' ? isQuarantined : isDone
    ) {
      return []
    }
    const where = event?.state ?? 'nowhere'
    return [`lost: ${sent.id} (${sent.fate}) was acknowledged [${[...answers.keys()]}] and is ${where}`]
  })
}

/** With transactions no second effect exists. With leases one may follow a takeover, which the attempt shows. */
function noEffectIsRepeated({ world, effects }: Books): string[] {
  return [...effects].flatMap(([id, all]) => {
    const attempts = all.map(({ attempt }) => attempt)
    const isTakenOver = new Set(attempts).size === attempts.length
    if (all.length === 1 || (!world.mode.isTransactional && isTakenOver)) {
      return []
    }
    return [`repeated: ${id} has ${all.length} effects, of attempts ${attempts}`]
  })
}

/** Postgres itself detects two live transactions. With leases each attempt enters the handler once. */
function noHandlerIsEnteredTwiceAtOnce({ world, journal }: Books): string[] {
  const overlaps = journal.filter(({ what }) => what === 'overlap')
  const broken = overlaps.map(({ id, pid }) => `entered twice at once: ${id}, seen by process ${pid}`)
  if (world.mode.store === 'postgres') {
    return broken
  }
  const seen = new Set<string>()
  for (const { id, attempt } of journal.filter(({ what }) => what === 'entered')) {
    const entry = `${id} in attempt ${attempt}`
    if (seen.has(entry)) {
      broken.push(`entered twice under one claim: ${entry}`)
    }
    seen.add(entry)
  }
  return broken
}

/** Without a queue the sender decides when to try again. */
function aFailedAttemptKeepsItsPause({ world, journal }: Books): string[] {
  const { queue, store } = world.mode
  return queue ? hastyAttempts(journal, world.leaseSeconds, store === 'sqlite') : []
}

function whatIsForgedWritesNothing({ world, effects, events, quarantined, journal }: Books): string[] {
  const ran = new Set(journal.map(({ id }) => id))
  return [...world.sender.ledger.entries.values()].flatMap(({ sent: { id, fate, body } }) => {
    if (fate !== 'nothing') {
      return []
    }
    const isWritten = effects.has(id) || events.has(id) || quarantined.has(hash(body)) || ran.has(id)
    return isWritten ? [`forged, and written: ${id}`] : []
  })
}

function onlyTheDoomedDie({ world, events, mayDie }: Books): string[] {
  if (mayDie) {
    return []
  }
  return [...events.values()].flatMap(({ id, state, lastError }) => {
    const isDoomed = world.sender.ledger.entries.get(id)?.sent.fate === 'dead'
    return state === 'dead' && !isDoomed ? [`dead without fault: ${id}, because ${lastError}`] : []
  })
}

function noLogTellsSecretsOrBodies({ world }: Books): string[] {
  return world.members.flatMap(({ log, role }) =>
    [world.secret, marker].flatMap((word) => {
      const at = log.indexOf(word)
      return at < 0 ? [] : [`logged by a ${role}: ${log.slice(Math.max(0, at - 200), at + 80)}`]
    }),
  )
}

function noAnswerContradictsAnother({ world }: Books): string[] {
  return [...world.sender.ledger.breaches]
}

/** Whatever is done to its servers. */
function noProcessEndsByItself({ world }: Books): string[] {
  return world.members.flatMap(({ role, crashes }) => crashes.map((crash) => `a ${role} ended with ${crash}`))
}

/** Waits until no event is waiting. After a time limit resolves to those that still are. */
async function settle(world: World, seconds: number): Promise<string[]> {
  const { mode, backend } = world
  if (!mode.queue) {
    return []
  }
  const open = async () => {
    const lists = (['accepted', 'failed'] as const).map((state) =>
      backend.inbox?.list({ allEndpoints: true, state, limit: 100 }),
    )
    return (await Promise.all(lists)).flatMap((page) => page ?? [])
  }
  const left = await untilGone(open, seconds)
  return left.map(
    ({ id, state, attempt, failures, retryAt, lastError }) =>
      `not settled within ${seconds} s: ${JSON.stringify({ id, state, attempt, failures, retryAt, lastError })}`,
  )
}

async function untilGone<T>(look: () => Promise<T[]>, seconds: number): Promise<T[]> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const left = await look()
    if (left.length === 0 || performance.now() > deadline) {
      return left
    }
    await sleep(100)
  }
}

async function readBooks(world: World, mayDie: boolean): Promise<Books> {
  const { inbox, effects } = world.backend
  const journal = world.journal()
  const inJournal = journal.flatMap(({ what, id = '', attempt = 0 }) =>
    what === 'effect' ? [{ id, attempt }] : [],
  )
  const byId = new Map<string, Effect[]>()
  for (const effect of effects ? await effects() : inJournal) {
    byId.set(effect.id, [...(byId.get(effect.id) ?? []), effect])
  }
  const everything = 1_000_000
  const events = (await inbox?.list({ allEndpoints: true, limit: everything })) ?? []
  const quarantined = (await inbox?.quarantined({ allEndpoints: true, limit: everything })) ?? []
  return {
    world,
    effects: byId,
    events: new Map(events.map((event) => [event.id, event])),
    quarantined: new Set(quarantined.map(({ body }) => hash(body))),
    journal,
    mayDie,
  }
}
