import assert from 'node:assert/strict'
import type { Durations, EventRef } from '../../store/event-ref.js'
import type { Inbox } from '../../store/inbox.js'
import type { Store } from '../../store/store.js'
import { freshKey } from '../laws.js'

/** A word that a queue writes where it would write its job. */
export interface Words<Tx> {
  readonly write: (tx: Tx, word: string) => unknown
  readonly written: () => readonly string[] | Promise<readonly string[]>
}

const retentionSeconds = 90 * 86_400

/** Every byte there is, first those that no text may hold. */
export const anyBytes = Uint8Array.from({ length: 256 }, (_, i) => i)

/** A new event at an endpoint of its own unless one is given. */
export function newEvent(over: Partial<EventRef> = {}, durations: Partial<Durations> = {}): EventRef {
  const key = freshKey()
  return {
    key,
    contentHash: freshKey(),
    durations: { leaseSeconds: 60, retentionSeconds, workSeconds: 10, waitSeconds: 5, ...durations },
    endpoint: key,
    id: `evt_${key}`,
    type: 'law.tried',
    createdAt: '2026-01-02T03:04:05.678901Z',
    body: anyBytes,
    ...over,
  }
}

export function inboxOf<Tx>(store: Store<Tx>): Inbox<Tx> {
  assert.ok(store.inbox, 'the store has no inbox')
  return store.inbox
}

export const nothing = async () => {}

export const mustNotRun = async () => {
  assert.fail('something ran that must not')
}

/** Accepts a new event without a job. */
export async function accepted(
  store: Store<unknown>,
  over: Partial<EventRef> = {},
  durations: Partial<Durations> = {},
): Promise<EventRef> {
  const event = newEvent(over, durations)
  assert.deepEqual(await inboxOf(store).accept(event, nothing), { state: 'accepted' })
  return event
}

/** Runs an event to its end. */
export async function finish(store: Store<unknown>, event: EventRef): Promise<void> {
  assert.equal((await store.once(event, nothing)).state, 'done')
}

/** Runs an event and fails. */
export async function fail(
  store: Store<unknown>,
  event: EventRef,
  error = new Error('failed'),
): Promise<void> {
  await assert.rejects(
    store.once(event, async () => {
      throw error
    }),
    error,
  )
}

/** The keys of those due, in order, that are among these. */
export async function dueAmong(store: Store<unknown>, events: readonly EventRef[]): Promise<string[]> {
  const keys = new Set(events.map(({ key }) => key))
  const due = await inboxOf(store).due(100_000)
  return due.map(({ key }) => key).filter((key) => keys.has(key))
}

/** The event as it is kept now. */
export async function kept(store: Store<unknown>, { key }: EventRef) {
  const stored = await inboxOf(store).read(key)
  assert.ok(stored, 'the event is not kept')
  return stored
}
