import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { open } from '../stores/sqlite-rig.js'
import { delivery, settled } from './deliver.js'
import { accept, audit, conflict, invalid, noTarget, operationsRig, wrongState } from './operations-rig.js'

const { file, receiverOf } = operationsRig()

describe('the operations of a receiver', () => {
  it('discard nothing of an endpoint whose name begins with that of the receiver', async () => {
    const [outer, inner] = [receiverOf('acme'), receiverOf('acme/eu')]
    await accept(inner, 'evt_1')
    await conflict(inner, 'evt_1')
    const [delivered] = await inner.quarantined()
    await expect(outer.discard(delivered?.key as string, audit)).rejects.toMatchObject({
      code: 'event_not_found',
    })
    expect(await inner.quarantined()).toHaveLength(1)
  })

  it('read one quarantined delivery by its key, but only of this endpoint', async () => {
    const [one, two] = [receiverOf('one'), receiverOf('two')]
    await accept(two, 'evt_1')
    await conflict(two, 'evt_1')
    const [delivered] = await two.quarantined()
    const key = delivered?.key as string
    expect(await two.inspectQuarantined(key)).toEqual({ ...delivered, warnings: [] })
    expect(await one.inspectQuarantined(key)).toBeUndefined()
    expect(await two.inspectQuarantined('evt_1')).toBeUndefined()
  })

  it('discard a dead event and a quarantined delivery, but only of this endpoint', async () => {
    const [one, two] = [receiverOf('one'), receiverOf('two')]
    for (const receiver of [one, two]) {
      await accept(receiver, 'evt_1')
      await conflict(receiver, 'evt_1')
    }
    const [delivered] = await two.quarantined()
    const key = delivered?.key as string
    await expect(one.discard(key, audit)).rejects.toMatchObject({ code: 'event_not_found' })
    expect(await two.quarantined()).toHaveLength(1)
    await two.discard(key, audit)
    expect(await two.quarantined()).toEqual([])
    expect(await one.quarantined()).toHaveLength(1)
    await expect(two.discard(key, audit)).rejects.toMatchObject(noTarget)

    await expect(one.discard('evt_1', audit), 'it is not dead').rejects.toMatchObject(wrongState)
    const store = sqliteStore(file())
    for (const { key } of await store.inbox.list({ allEndpoints: true })) {
      await store.inbox.markDead(key, 'the end')
    }
    await one.discard('evt_1', audit)
    expect(await one.inspect('evt_1')).toBeUndefined()
    expect(await two.inspect('evt_1')).toMatchObject({ state: 'dead' })
    await accept(one, 'evt_1')
  })

  it('say what discard did not find', async () => {
    const receiver = receiverOf('one')
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    const [delivered] = await receiver.quarantined()
    const key = delivered?.key as string
    await receiver.discard(key, audit)
    const gone = 'no delivery is quarantined under this key; likely cause: an operator has discarded'
    await expect(receiver.discard(key, audit)).rejects.toThrow(gone)
    await expect(receiver.discard(key, audit, { kind: 'delivery' })).rejects.toThrow(gone)
    const wrong = receiver.discard('evt_1', audit, { kind: 'delivery' })
    await expect(wrong).rejects.toThrow('discard needs the id of a dead event or the key of a quarantined')
    for (const unknown of [key, 'evt_2']) {
      const event = receiver.discard(unknown, audit, { kind: 'event' })
      await expect(event).rejects.toMatchObject({ code: 'event_not_found' })
    }
    const early = receiver.discard('evt_1', audit)
    await expect(early).rejects.toThrow('event evt_1 is accepted, and only a dead event can be discarded')
  })

  it('say who was faster when two operators discard an event, or that it died meanwhile', async () => {
    const store = sqliteStore(file())
    const { discard } = store.inbox
    const receiver = receiverOf('one', { store })
    const bury = (key: string) => store.inbox.markDead(key, 'the end')
    await accept(receiver, 'evt_1')
    await bury((await receiver.inspect('evt_1'))?.key as string)
    const [first, second] = await Promise.allSettled(
      ['ann', 'bob'].map((actor) => receiver.discard('evt_1', { ...audit, actor })),
    )
    expect(first?.status).toBe('fulfilled')
    const [{ at, actor } = {}] = await receiver.audits({ eventId: 'evt_1' })
    expect(actor).toBe('ann')
    const reason = { message: `event_not_found: no event evt_1 is kept: ann discarded it at ${at}` }
    expect(second).toMatchObject({ reason })

    await accept(receiver, 'evt_2')
    store.inbox.discard = async (key, ...given) => {
      const isDiscarded = await discard.call(store.inbox, key, ...given)
      await bury(key)
      return isDiscarded
    }
    await expect(receiver.discard('evt_2', audit)).rejects.toMatchObject({ code: 'event_changed' })
    await store.close()
  })

  it('discard an event whose id looks like the key of a delivery', async () => {
    const receiver = receiverOf('one')
    const snake = { id: 'one/evt', type: 'any', created_at: settled.createdAt, data: {} }
    expect(await receiver.receive(await delivery(snake))).toMatchObject({ outcome: 'accepted' })
    const store = sqliteStore(file())
    const [stored] = await store.inbox.list({ allEndpoints: true })
    await store.inbox.markDead(stored?.key as string, 'the end')
    await receiver.discard('one/evt', audit)
    expect(await receiver.list()).toEqual([])
  })

  it('discard the event and not the delivery, where an event has the key of a delivery as its id', async () => {
    const receiver = receiverOf('one')
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    const key = (await receiver.quarantined())[0]?.key as string
    const snake = { id: key, type: 'any', created_at: settled.createdAt, data: {} }
    expect(await receiver.receive(await delivery(snake))).toMatchObject({ outcome: 'accepted' })
    await expect(receiver.discard(key, audit)).rejects.toMatchObject(invalid)
    const store = sqliteStore(file())
    await store.inbox.markDead((await receiver.inspect(key))?.key as string, 'the end')
    await expect(receiver.discard(key, audit)).rejects.toMatchObject(invalid)
    expect([await receiver.quarantined(), await receiver.list()]).toMatchObject([
      [{ key }],
      [{}, { id: key }],
    ])
    await receiver.discard(key, audit, { kind: 'event' })
    expect([await receiver.quarantined(), await receiver.list()]).toMatchObject([
      [{ key }],
      [{ id: 'evt_1' }],
    ])
    await receiver.undo(key, audit)
    await receiver.discard(key, audit, { kind: 'delivery' })
    expect([await receiver.quarantined(), await receiver.list()]).toMatchObject([[], [{}, { id: key }]])
    await receiver.discard(key, audit, { kind: 'event' })
    expect(await receiver.undo(key, audit, { kind: 'delivery' })).toBe(1)
    expect([await receiver.quarantined(), await receiver.list()]).toMatchObject([
      [{ key }],
      [{ id: 'evt_1' }],
    ])
    expect(await receiver.undo(key, audit, { kind: 'event' })).toBe(1)
    await expect(receiver.undo(key, audit, { kind: 'run' as never })).rejects.toMatchObject(invalid)
  })

  it('change an event only if it is as the operator saw it', async () => {
    const changed = { name: 'ConflictError', code: 'event_changed' }
    const receiver = receiverOf('one')
    await accept(receiver, 'evt_1')
    const store = sqliteStore(file())
    const bury = async () => store.inbox.markDead((await receiver.inspect('evt_1'))?.key as string, 'the end')
    await bury()
    const seen = await receiver.inspect('evt_1')
    expect(await receiver.replay('evt_1', audit, { seen })).toBe(1)
    await bury()
    await expect(receiver.replay('evt_1', audit, { seen })).rejects.toMatchObject(changed)
    await expect(receiver.discard('evt_1', audit, { seen })).rejects.toMatchObject(changed)
    const now = await receiver.inspect('evt_1')
    expect(now).toMatchObject({ state: 'dead', generation: 1 })
    await receiver.discard('evt_1', audit, { seen: now })
    for (const act of [receiver.replay, receiver.discard]) {
      await expect(act('evt_1', audit, { seen: now })).rejects.toMatchObject(changed)
      for (const wrong of [null, 'dead', {}, { state: 'dead' }, { state: 'dead', generation: -1 }]) {
        await expect(act('evt_1', audit, { seen: wrong as never })).rejects.toMatchObject(invalid)
      }
    }
    const delivery = { kind: 'delivery', seen: now } as const
    await expect(receiver.discard('evt_1', audit, delivery)).rejects.toMatchObject(invalid)
    await expect(receiver.discard('evt_1', audit, { kind: 'all' as never })).rejects.toMatchObject(invalid)
  })

  it.each([
    ['by the retention of done events', 1, { retentionSeconds: 30 * 86_400 }],
    ['by its own retention, which is longer', 0, { quarantineRetentionSeconds: 50 * 86_400 }],
    ['by its own retention, which is shorter', 1, { quarantineRetentionSeconds: 3600 }],
  ])('prune the quarantine %s', async (_, pruned, over) => {
    const receiver = receiverOf('quarantined', { retentionSeconds: 30 * 86_400, ...over })
    await accept(receiver, 'evt_1')
    await conflict(receiver, 'evt_1')
    expect(await receiver.prune()).toBe(0)
    const database = open(file())
    database.prepare('UPDATE webhook_inbox_quarantine SET received_at = received_at - 40 * 86400000').run()
    database.close()
    expect(await receiver.prune()).toBe(pruned)
    expect((await receiver.health()).counts).toMatchObject({ accepted: 1, quarantined: 1 - pruned })
  })
})
