import { afterAll, expect, test } from 'vitest'
import { quarantineKey } from '../../src/store/quarantined-delivery.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import type { Methods } from './event-verbs.js'
import { allVerbs } from './operator-verbs.js'
import { newEvent, postgresRig } from './postgres-rig.js'
import { newFile, removeFiles } from './sqlite-files.js'
import { open } from './sqlite-rig.js'

const rig = postgresRig()
afterAll(removeFiles)

/** What each verb of a store says that it could not do. */
async function saidBy(store: ReturnType<typeof sqliteStore> | ReturnType<typeof postgresStore>) {
  const said: Record<string, Set<string>> = {}
  const note = async (name: string, call: () => Promise<unknown>) => {
    const error = await call().then(
      (value) => new Error(`resolved to ${value}`),
      (reason: Error) => reason,
    )
    said[name] ??= new Set()
    said[name].add(error.message.match(/could not (.+?)(?::| \()/)?.[1] ?? error.message)
  }
  for (const { part, verb, args } of allVerbs.filter((each) => each.verb !== 'readQuarantined')) {
    const inbox = store.inbox as never as Record<string, Methods>
    const on = part === '' ? (inbox as never as Methods) : (inbox[part] as Methods)
    await note(part ? `${part}.${verb}` : verb, () => (on[verb] as Methods[string])(...args))
  }
  await note('readQuarantined', () =>
    Promise.resolve(store.inbox.readQuarantined?.(quarantineKey({ endpoint: 'a', bodyHash: 'h' }))),
  )
  await note('health', () => store.inbox.health())
  await note('once', () => store.once(newEvent(), async () => {}))
  await note('prune', () => store.prune(new Date(), 1))
  return Object.fromEntries(Object.entries(said).map(([name, texts]) => [name, [...texts].join('; ')]))
}

/** The same on both stores, except for what their statements do otherwise. */
const onSqlite = {
  accept: 'look up an event',
  read: 'read an event',
  list: 'list events',
  due: 'look for due events',
  nextForResource: 'find whose turn it is',
  postpone: 'postpone an event',
  markDead: 'mark an event dead',
  requeue: 'look up an event',
  quarantine: 'quarantine a delivery',
  acceptDead: 'accept a dead event',
  quarantined: 'list the quarantine',
  readQuarantined: 'read the quarantine',
  discard: 'discard',
  pruneQuarantine: 'prune the quarantine',
  'bulk.makePlan': 'make a plan',
  'bulk.readPlan': 'read a plan',
  'bulk.plans': 'list the plans',
  'bulk.startRun': 'start a run',
  'bulk.readRun': 'read a run',
  'bulk.runs': 'list the runs',
  'bulk.leftAlone': 'list what a run left alone',
  'bulk.applied': 'look what became of a run',
  'bulk.appliedStates': 'look what became of a run',
  'bulk.runActs': 'look who changed a run',
  'bulk.changeRun': 'change a run',
  'bulk.takeRun': 'take a run',
  'bulk.step': 'look at a run',
  'bulk.canaryOutcome': 'look at a canary',
  'bulk.settleRun': 'settle a run',
  'bulk.discarded': 'read what was discarded',
  'bulk.undo': 'undo a discard',
  'bulk.acceptFrom': 'accept an event',
  'bulk.prunePlans': 'prune the plans',
  'bulk.pruneDiscarded': 'delete what was discarded',
  'flow.pause': 'pause',
  'flow.resume': 'resume',
  'flow.paused': 'list what is paused',
  'flow.holds': 'look what is held back',
  'flow.countFailure': 'count a failure',
  'flow.closeCircuit': 'close a circuit',
  'flow.pruneCircuits': 'prune circuits',
  'flow.startTrial': 'start a trial',
  'flow.beat': 'note a worker',
  'flow.leave': 'forget a worker',
  'flow.workers': 'list workers',
  'flow.versions': 'list versions',
  'flow.claimOf': 'read a claim',
  'flow.quarantineCode': 'look in the quarantine',
  'failures.groups': 'list the failures',
  'failures.setState': 'change a group of failures',
  'failures.prune': 'prune the failures',
  'statistics.read': 'read events',
  'statistics.sources': 'look at the sources',
  'auditLog.list': 'list the audits',
  health: 'count events',
  once: 'claim an event',
  prune: 'prune',
}

const onPostgres = {
  ...onSqlite,
  accept: 'accept events',
  due: 'find what is due',
  requeue: 'replay an event',
  'bulk.step': 'apply a run',
  'statistics.read': 'count events',
  'statistics.sources': 'count events',
  prune: 'forget events',
}

test('SQLite: an error says what could not be done', async () => {
  const database = open(newFile())
  const store = sqliteStore(database)
  await store.check()
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'webhook_inbox_%'")
    .all() as { name: string }[]
  for (const { name } of tables) {
    database.exec(`DROP TABLE ${name}`)
  }
  expect(await saidBy(store)).toEqual(onSqlite)
})

test('Postgres: an error says what could not be done', async () => {
  await rig.sql('CREATE SCHEMA empty')
  expect(await saidBy(postgresStore({ pool: rig.pool(), schema: 'empty' }))).toEqual(onPostgres)
})
