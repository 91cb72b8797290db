import { describe, expect, test } from 'vitest'
import type { BulkAction, PlannedFilter } from '../../src/store/bulk-plan.js'
import type { InboxState } from '../../src/store/inbox-event.js'
import { newEvent, postgresRig } from './postgres-rig.js'
import { many, surprised, surprisedStores } from './postgres-surprised.js'

const rig = postgresRig()
const audit = { reason: 'a test', actor: 'a test' }
const endpoint = 'default'
const states: InboxState[] = ['accepted', 'failed', 'done', 'dead']

type Opened = Awaited<ReturnType<typeof surprised>>
const opened = surprisedStores(rig)

const few = { endpoint, limit: 10, bodies: false }
const plan = async ({ store }: Opened, action: BulkAction, where: PlannedFilter) =>
  store.inbox.bulk?.makePlan({ id: crypto.randomUUID(), endpoint, action, where })

/** A part of many events. It may not read all of them, whatever the statistics say. */
describe.each(states)('of many events that are %s', (state) => {
  test.each<[string, (of: Opened) => Promise<unknown>]>([
    ['a page of the state', ({ store }) => store.inbox.list({ ...few, state })],
    ['the newest of the state', ({ store }) => store.inbox.list({ ...few, state, order: 'newest' })],
    [
      'the next page of the state',
      ({ store, event }) => store.inbox.list({ ...few, state, after: event(5).key }),
    ],
    ['a page of a type', ({ store }) => store.inbox.list({ ...few, state, type: 'a.b' })],
    ['a page of types', ({ store }) => store.inbox.list({ ...few, state, type: 'a.*' })],
    ['a page of every state', ({ store }) => store.inbox.list({ ...few })],
    ['the newest of every state', ({ store }) => store.inbox.list({ ...few, order: 'newest' })],
    [
      'a page of every endpoint',
      ({ store }) => store.inbox.list({ ...few, endpoint: undefined, allEndpoints: true, state } as never),
    ],
    ['a page of a resource', ({ store }) => store.inbox.list({ ...few, resource: `r${many + 1}` })],
    ['a page of a group', ({ store }) => store.inbox.list({ ...few, group: 'default:g' })],
    ['a page of a rare group', ({ store }) => store.inbox.list({ ...few, group: 'default:rare' })],
    ['a page of a root', ({ store }) => store.inbox.list({ ...few, root: 'unknown' })],
    [
      'the newest of a state and a rare group',
      ({ store }) => store.inbox.list({ ...few, state, group: 'default:rare', order: 'newest' }),
    ],
    ['a plan of a rare group', (of) => plan(of, 'replay', { group: 'default:rare' })],
    ['a plan of a resource', (of) => plan(of, 'giveUp', { resource: `r${many + 1}` })],
    ['an event by its key', ({ store, event }) => store.inbox.list({ ...few, key: event(7).key })],
    ['a page since a time', ({ store }) => store.inbox.list({ ...few, state, since: new Date(0) })],
    ['the events that are due', ({ store }) => store.inbox.due(10, endpoint, { bodies: false })],
    [
      'the due events of a type',
      ({ store }) => store.inbox.due(10, endpoint, { bodies: false, onlyTypes: ['a.b'] }),
    ],
    ['one event', ({ store, event }) => store.inbox.read(event(8).key)],
    ['a step of pruning', ({ store }) => store.prune(new Date(0), 10)],
    ['a step of pruning discards', async ({ store }) => store.inbox.bulk?.pruneDiscarded(10)],
    ['a new event', ({ store }) => store.inbox.accept(newEvent())],
  ])('%s', async (_, work) => {
    const of = await opened(state)
    expect(await of.readWhole(() => work(of))).toEqual([])
  })
})

test.each([
  ['dead', 'replay'],
  ['dead', 'discard'],
  ['done', 'replay'],
  ['failed', 'retryNow'],
  ['failed', 'giveUp'],
  ['accepted', 'giveUp'],
] as const)('a step of a run reads a part of the events that are %s: %s', async (state, action) => {
  const of = await surprised(rig, state, `step_${action.toLowerCase()}_${state}`)
  const bulk = of.store.inbox.bulk
  if (!bulk) {
    throw new Error('the store has no bulk operations')
  }
  const plan = await bulk.makePlan({ id: 'plan-1', endpoint, action, where: { state } })
  expect(plan.count).toBe(many)
  await bulk.startRun({ id: 'run-1', plan: plan.id, perSecond: 100, canary: 0 }, audit)
  expect(await bulk.takeRun(endpoint, 'token', 15)).toBeDefined()
  const step = () =>
    bulk.step('run-1', 'token', { most: 10, leaseSeconds: 15, undoSeconds: 60 }, async () => {})
  expect(await of.readWhole(step)).toEqual([])
  expect(await bulk.readRun('run-1')).toMatchObject({ remaining: many - 10 })
  const place = { endpoint, run: 'run-1' }
  expect(await of.readWhole(() => bulk.applied('run-1', { limit: 5, after: 0 }))).toEqual([])
  expect(await of.readWhole(() => bulk.appliedStates('run-1'))).toEqual([])
  expect(await of.readWhole(() => bulk.discarded(place, 5))).toEqual([])
  expect(await of.readWhole(() => bulk.undo(place, audit, 5))).toEqual([])
  expect(await of.readWhole(() => bulk.canaryOutcome('run-1'))).toEqual([])
})
