import assert from 'node:assert/strict'
import type { Durations, EventRef } from '../../store/event-ref.js'
import type { OnceOutcome, Store } from '../../store/store.js'
import { eventually } from '../laws.js'

// The laws do not use `tx`, so they apply to stores with and without transactions.
// biome-ignore lint/suspicious/noExplicitAny: Store is invariant in Tx.
export type AnyStore = Store<any>

/** Returns an event as a receiver passes it. By default its lease is long enough without a heartbeat. */
export function eventOf(key: string, durations: Partial<Durations> = {}, content = 'content'): EventRef {
  return {
    key,
    contentHash: content,
    durations: {
      leaseSeconds: 600,
      retentionSeconds: 30 * 86_400,
      workSeconds: 10,
      waitSeconds: 0,
      ...durations,
    },
    endpoint: 'default',
    id: 'evt_law',
    type: 'law.tried',
    createdAt: '2026-01-02T03:04:05Z',
    body: new TextEncoder().encode(content),
  }
}

export const nothing = async () => {}

export const mustNotRun = async () => {
  assert.fail('the work of an event ran that somebody else holds or has done')
}

/** Work that runs until the test ends it. */
export function openWork() {
  let begin = () => {}
  let end: { resolve(value: string): void; reject(error: unknown): void } | undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const ended = new Promise<string>((resolve, reject) => {
    end = { resolve, reject }
  })
  const work = () => {
    begin()
    return ended
  }
  return { work, begun, ...(end as NonNullable<typeof end>) }
}

/** Starts to process an event, until the test ends the work. Fails if the work does not begin. */
export async function begin(store: AnyStore, event: EventRef) {
  const open = openWork()
  const outcome = store.once(event, open.work)
  await Promise.race([open.begun, outcome.then(() => assert.fail('the work of a free event did not run'))])
  return { ...open, outcome }
}

/** The same with a lease that is never extended. */
export const beginAbandoned = (store: AnyStore, key: string, leaseSeconds: number) =>
  begin(store, eventOf(key, { leaseSeconds, workSeconds: leaseSeconds / 4 }, 'old'))

/** Runs an event as soon as it is free again. */
export function runWhenFree<T>(
  store: AnyStore,
  event: EventRef,
  work: (context: { attempt: number }) => Promise<T>,
) {
  return eventually(async () => {
    const outcome = await store.once(event, work)
    return outcome.state === 'busy' ? undefined : outcome
  })
}

export const states = (outcomes: readonly OnceOutcome<unknown>[]) => outcomes.map(({ state }) => state)
