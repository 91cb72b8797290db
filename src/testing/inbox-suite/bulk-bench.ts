import assert from 'node:assert/strict'
import type { BulkAction } from '../../store/bulk-plan.js'
import type { DueAgain, Run, Step } from '../../store/bulk-run.js'
import type { BulkStore } from '../../store/bulk-store.js'
import type { EventFilter } from '../../store/event-filter.js'
import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Law } from '../laws.js'
import { capabilityOf, needs } from './capabilities.js'
import { accepted, inboxOf } from './stored-event.js'

export const audit = { reason: 'the bank was down', actor: 'suite' }

export const bulkOf = <Tx>(store: Store<Tx>): BulkStore<Tx> => capabilityOf(store, 'bulk')

/** What a law of bulk operations works on: a store, its bulk operations, and an endpoint of its own. */
export interface BulkBench<Tx> {
  readonly store: Store<Tx>
  readonly bulk: BulkStore<Tx>
  readonly endpoint: string
}

/** A law about the bulk operations of one store. */
export const aboutBulk = <Tx>(law: (bench: BulkBench<Tx>) => Promise<void>): Law<Store<Tx>> =>
  needs('bulk', async ({ make }) => {
    const store = await make()
    await law({ store, bulk: bulkOf(store), endpoint: freshKey() })
  })

/** Returns so many dead events of one endpoint, oldest first. */
export async function deadEvents(
  store: Store<unknown>,
  endpoint: string,
  count: number,
): Promise<EventRef[]> {
  const events: EventRef[] = []
  for (let i = 0; i < count; i++) {
    const event = await accepted(store, { endpoint })
    await inboxOf(store).markDead(event.key, 'given up')
    events.push(event)
  }
  return events
}

/** Plans and starts a run, and takes it. */
export async function takenRun<Tx>(
  bulk: BulkStore<Tx>,
  plan: { readonly endpoint: string; readonly action: BulkAction; readonly where?: EventFilter },
  { canary = 0 } = {},
): Promise<{ readonly run: Run; readonly token: string }> {
  const { id } = await bulk.makePlan({ where: {}, ...plan, id: `plan-${freshKey()}` })
  const run = { id: `run-${freshKey()}`, plan: id, perSecond: 100, canary }
  assert.ok(await bulk.startRun(run, audit))
  const token = freshKey()
  const taken = await bulk.takeRun(plan.endpoint, token, 60)
  assert.equal(taken?.id, run.id)
  return { run: taken as Run, token }
}

/** Handles the next events of a run. Returns what the queue was given. */
export async function step<Tx>(
  bulk: BulkStore<Tx>,
  { run, token }: { readonly run: Run; readonly token: string },
  {
    most = 100,
    undoSeconds = 60,
    skipFirst,
  }: { most?: number; undoSeconds?: number; skipFirst?: string } = {},
): Promise<{ readonly step: Step | undefined; readonly jobs: DueAgain[] }> {
  const jobs: DueAgain[] = []
  const options = { most, undoSeconds, skipFirst, leaseSeconds: 60 }
  const done = await bulk.step(run.id, token, options, async (_, job) => void jobs.push(job))
  return { step: done, jobs }
}
