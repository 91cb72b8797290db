import assert from 'node:assert/strict'
import type { Durations, EventRef } from '../../store/event-ref.js'
import type { Inbox } from '../../store/inbox.js'
import type { Store } from '../../store/store.js'
import { freshKey } from '../laws.js'

/** Writes and reads words in place of the jobs of a queue. */
export interface Words<Tx> {
  /** Writes a word through a transaction of the store, as a queue writes its job. The suite chooses the word. */
  readonly write: (tx: Tx, word: string) => unknown
  /** Returns every committed word. */
  readonly written: () => readonly string[] | Promise<readonly string[]>
}

const retentionSeconds = 90 * 86_400

/** Every byte, those that are invalid in text included. */
export const anyBytes = Uint8Array.from({ length: 256 }, (_, i) => i)

/** Returns a new event, by default with its own endpoint. */
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

/** Runs an event successfully. */
export async function finish(store: Store<unknown>, event: EventRef): Promise<void> {
  assert.equal((await store.once(event, nothing)).state, 'done')
}

/** Starts to run an event, until the test ends the work. Fails if the work does not begin. */
export async function begin(store: Store<unknown>, event: EventRef) {
  let end = () => {}
  const held = new Promise<void>((resolve) => {
    end = resolve
  })
  let outcome: ReturnType<typeof store.once<void>> | undefined
  await new Promise<void>((begun, reject) => {
    outcome = store.once(event, () => {
      begun()
      return held
    })
    outcome.then(() => reject(new Error('the work of a free event did not run')), reject)
  })
  return { end, outcome: outcome as NonNullable<typeof outcome> }
}

/** Runs an event with work that fails. */
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

/** Returns the keys of the due events among these, in the order of the store. */
export async function dueAmong(store: Store<unknown>, events: readonly EventRef[]): Promise<string[]> {
  const keys = new Set(events.map(({ key }) => key))
  const due = await inboxOf(store).due(100_000)
  return due.map(({ key }) => key).filter((key) => keys.has(key))
}

/** Returns the stored event. Fails when there is none. */
export async function kept(store: Store<unknown>, { key }: EventRef) {
  const stored = await inboxOf(store).read(key)
  assert.ok(stored, 'the event is not kept')
  return stored
}
