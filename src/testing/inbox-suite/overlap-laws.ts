import assert from 'node:assert/strict'
import { StoreError } from '../../errors.js'
import type { EventRef } from '../../store/event-ref.js'
import type { Store } from '../../store/store.js'
import { freshKey, type Laws, pause } from '../laws.js'
import { accepted, finish, inboxOf, mustNotRun, newEvent, nothing } from './stored-event.js'

/**
 * Runs every due event of one endpoint, with two concurrent workers per store. Resolves to the keys in
 * the order in which the events finished. Rejects if two events of one resource overlapped.
 */
async function drain(
  stores: readonly Store<unknown>[],
  events: readonly EventRef[],
  fails: () => boolean = () => false,
): Promise<string[]> {
  const left = new Map(events.map((event) => [event.key, event]))
  const running: (string | undefined)[] = []
  const ended: string[] = []
  let overlaps = 0

  async function work({ resource }: EventRef): Promise<void> {
    if (resource !== undefined && running.includes(resource)) {
      overlaps++
    }
    running.push(resource)
    await pause(0.01 * Math.random())
    running.splice(running.indexOf(resource), 1)
    if (fails()) {
      throw new Error('once more')
    }
  }

  const until = performance.now() + 60_000
  async function runDue(store: Store<unknown>): Promise<void> {
    while (left.size > 0) {
      assert.ok(performance.now() < until, `${left.size} events are never due, or never done`)
      for (const { key } of await inboxOf(store).due(3, events[0]?.endpoint)) {
        const event = left.get(key)
        if (!event) {
          continue
        }
        try {
          if ((await store.once(event, () => work(event))).state !== 'done') {
            continue
          }
          left.delete(key)
          ended.push(key)
        } catch {
          // While another handler holds the row, the failure cannot be recorded. The next pass runs the event again.
          await inboxOf(store).postpone(key, 0, 'once more').catch(passStoreError)
        }
      }
      await pause(0.002)
    }
  }

  await Promise.all([...stores, ...stores].map(runDue))
  assert.equal(overlaps, 0, 'two events of one resource ran concurrently')
  return ended
}

function passStoreError(error: unknown): void {
  if (!(error instanceof StoreError)) {
    throw error
  }
}

/** Laws of the order within one resource, with random delays and failures. */
export const overlapLaws = <Tx>(): Laws<Store<Tx>> => ({
  async 'events of one resource finish in order and never overlap, with random failures'({ make }) {
    const stores = [await make(), await make()]
    const endpoint = freshKey()
    const resources = [freshKey(), freshKey(), undefined]
    const events: EventRef[] = []
    for (let i = 0; i < 24; i++) {
      const resource = resources[i % 3]
      events.push(await accepted(stores[i % 2] as Store<Tx>, { endpoint, resource }))
    }
    const ended = await drain(stores, events, () => Math.random() < 0.3)
    for (const resource of resources.slice(0, 2)) {
      const keys = events.filter((event) => event.resource === resource).map(({ key }) => key)
      assert.deepEqual(
        ended.filter((key) => keys.includes(key)),
        keys,
      )
    }
  },

  async 'an event that commits late does not run beside the event that overtook it'({ make }) {
    const [here, there] = [await make(), await make()]
    const about = { endpoint: freshKey(), resource: freshKey() }
    const [slow, quick] = [newEvent(about), newEvent(about)]
    let enqueued = () => {}
    let accepting: Promise<unknown> | undefined
    await new Promise<unknown>((resolve, reject) => {
      accepting = inboxOf(here).accept(slow, () => {
        resolve(undefined)
        return new Promise<void>((end) => {
          enqueued = end
        })
      })
      // A store that calls no `enqueue` fails the law. Otherwise the law would wait for it forever.
      accepting.then(resolve, reject)
    })
    await inboxOf(there).accept(quick, nothing)
    const outcome = await there.once(quick, async () => {
      enqueued()
      assert.deepEqual(await accepting, { state: 'accepted' })
      for (const store of [here, there]) {
        assert.equal((await store.once(slow, mustNotRun)).state, 'busy')
      }
    })
    assert.equal(outcome.state, 'done')
    await finish(here, slow)
  },

  async 'concurrently accepted events of one resource all run, one at a time'({ make }) {
    const stores = [await make(), await make()]
    const about = { endpoint: freshKey(), resource: freshKey() }
    const events = Array.from({ length: 30 }, () => newEvent(about))
    const accepting = events.map(async (event, i) => {
      await pause(0.1 * Math.random())
      const outcome = await inboxOf(stores[i % 2] as Store<Tx>).accept(event, () =>
        pause(0.1 * Math.random()),
      )
      assert.deepEqual(outcome, { state: 'accepted' })
    })
    const [ended] = await Promise.all([drain(stores, events), ...accepting])
    assert.deepEqual([...ended].sort(), events.map(({ key }) => key).sort())
  },
})
