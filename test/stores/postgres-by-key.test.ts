import { describe, expect, test } from 'vitest'
import type { InboxState } from '../../src/store/inbox-event.js'
import { newEvent, postgresRig } from './postgres-rig.js'
import { many, type surprised, surprisedStores } from './postgres-surprised.js'

const opened = surprisedStores(postgresRig())
const audit = { reason: 'a test', actor: 'a test' }

/** Works on one event by its key. It may not read the events that share its state, of which there may be a million. */
describe('one event is found by its key, whatever the statistics say', () => {
  test.each<[InboxState, string, (of: Awaited<ReturnType<typeof surprised>>) => Promise<unknown>]>([
    [
      'accepted',
      'take',
      async ({ store, event }) => (await store.inbox.take?.(event(1), event(1).durations))?.claim.release(),
    ],
    [
      'accepted',
      'take in order',
      async ({ store, event }) => {
        const ordered = { ...event(1), resource: `r${many + 1}` }
        await (await store.inbox.take?.(ordered, ordered.durations))?.claim.release()
      },
    ],
    ['accepted', 'once', ({ store, event }) => store.once({ ...event(2), isKept: true }, async () => {})],
    ['accepted', 'accept again', ({ store, event }) => store.inbox.accept(event(3))],
    ['accepted', 'nextForResource', ({ store, event }) => store.inbox.nextForResource(event(3).key)],
    ['accepted', 'postpone', ({ store, event }) => store.inbox.postpone(event(4).key, 1, 'e')],
    ['accepted', 'markDead', ({ store, event }) => store.inbox.markDead(event(5).key, 'e')],
    ['failed', 'accept again', ({ store, event }) => store.inbox.accept(event(1))],
    ['failed', 'once', ({ store, event }) => store.once(event(3), async () => {})],
    ['failed', 'postpone', ({ store, event }) => store.inbox.postpone(event(4).key, 1, 'e')],
    ['failed', 'nextForResource', ({ store, event }) => store.inbox.nextForResource(event(4).key)],
    ['failed', 'acceptDead', ({ store, event }) => store.inbox.acceptDead(event(5), 'invalid_data', 'e')],
    [
      'dead',
      'requeue',
      ({ store, event }) =>
        store.inbox.requeue(event(1).key, audit, async () => {}, { state: 'dead', generation: 0 }),
    ],
    [
      'dead',
      'discard',
      ({ store, event }) => store.inbox.discard(event(2).key, audit, 60, { state: 'dead', generation: 0 }),
    ],
    [
      'dead',
      'undo',
      async ({ store, event }) => {
        await store.inbox.discard(event(3).key, audit, 60)
        await store.inbox.bulk?.undo({ key: event(3).key, endpoint: 'default' }, audit, 1)
      },
    ],
    [
      'dead',
      'edit',
      async ({ store, event }) => {
        const { id: parent, key: parentKey } = event(5)
        const from = { parent, parentKey, seen: { state: 'dead', generation: 0 }, copies: [] } as const
        await store.inbox.bulk?.acceptFrom(newEvent(), from, audit, async () => {})
      },
    ],
    ['dead', 'accept again', ({ store, event }) => store.inbox.accept(event(4))],
    [
      'done',
      'requeue',
      ({ store, event }) =>
        store.inbox.requeue(event(1).key, audit, async () => {}, { state: 'done', generation: 0 }),
    ],
    ['done', 'accept again', ({ store, event }) => store.inbox.accept(event(2))],
  ])('%s: %s', async (state, _verb, work) => {
    const of = await opened(state)
    expect(await of.readWhole(() => work(of))).toEqual([])
  })

  test('done: the time of long work', async () => {
    const of = await opened('done')
    const event = newEvent()
    await of.store.inbox.accept(event)
    const read = await of.readWhole(() =>
      of.store.once({ ...event, isKept: true }, () => new Promise((resolve) => setTimeout(resolve, 40))),
    )
    expect(read).toEqual([])
  })
})
