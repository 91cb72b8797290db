import { describe, expect, it } from 'vitest'
import { audit, invalid, openBulkRig, patiently, receiverOf, withDead, wrongState } from './bulk-rig.js'
import { delivery, settled } from './deliver.js'

openBulkRig()

describe('undo', () => {
  it('restores an event, a delivery, and what a run discarded', async () => {
    const receiver = await withDead(4)
    const before = await receiver.list()
    await receiver.discard('evt_1', audit)
    expect(await receiver.inspect('evt_1')).toBeUndefined()
    expect(await receiver.undo('evt_1', audit)).toBe(1)
    expect(await receiver.list()).toEqual(before)

    const run = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    await run.finished()
    expect(await receiver.list()).toEqual([])
    expect(await receiver.undo(run.id, audit)).toBe(4)
    expect(await receiver.list()).toEqual(before)

    const other = { ...settled, id: 'evt_0', data: { ...settled.data, transferId: 'other' } }
    await receiver.receive(await delivery(other))
    const [quarantined] = await receiver.quarantined()
    await receiver.discard(quarantined?.key as string, audit)
    expect(await receiver.undo(quarantined?.key as string, audit)).toBe(1)
    // It gets a new place, because a list may have passed the old one.
    expect(await receiver.quarantined()).toEqual([{ ...quarantined, place: expect.any(Number) }])
  })

  it('of an event restores no run that has its id', async () => {
    const receiver = await withDead(2)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    await run.finished()
    await receiver.receive(
      await delivery({ id: run.id, type: 'any', created_at: settled.createdAt, data: {} }),
    )
    await expect.poll(async () => (await receiver.inspect(run.id))?.state, patiently).toBe('dead')
    await receiver.discard(run.id, audit)
    expect(await receiver.undoable(run.id, { kind: 'event' })).toMatchObject([{ eventId: run.id }])
    expect(await receiver.undo(run.id, audit, { kind: 'event' })).toBe(1)
    expect((await receiver.list()).map(({ id }) => id)).toEqual([run.id])
    expect(await receiver.undo(run.id, audit)).toBe(2)
  })

  it('of one kind leaves what was discarded of the other, and finds both without a kind', async () => {
    const receiver = await withDead(1)
    const other = { ...settled, id: 'evt_0', data: { ...settled.data, transferId: 'other' } }
    await receiver.receive(await delivery(other))
    const key = (await receiver.quarantined())[0]?.key as string
    await receiver.receive(await delivery({ id: key, type: 'any', created_at: settled.createdAt, data: {} }))
    await expect.poll(async () => (await receiver.inspect(key))?.state, patiently).toBe('dead')
    const kinds = ['event', 'delivery'] as const
    for (const [kind, left] of [kinds, kinds.toReversed()]) {
      await receiver.discard(key, audit, { kind: 'event' })
      await receiver.discard(key, audit, { kind: 'delivery' })
      const both = await receiver.undoable(key)
      expect(both.map((each) => each.kind).toSorted()).toEqual(['delivery', 'event'])
      expect(await receiver.undoable(key, { limit: 1 })).toEqual(both.slice(0, 1))
      expect(await receiver.undo(key, audit, { kind })).toBe(1)
      expect(await receiver.undoable(key)).toMatchObject([{ kind: left }])
      expect(await receiver.undo(key, audit)).toBe(1)
    }
  })

  it('takes the id of an event, and not its key', async () => {
    const receiver = await withDead(1)
    const key = (await receiver.inspect('evt_0'))?.key as string
    await receiver.discard('evt_0', audit)
    expect(await receiver.undoable(key)).toEqual([])
    await expect(receiver.undo(key, audit)).rejects.toMatchObject(wrongState)
    expect(await receiver.undo('evt_0', audit)).toBe(1)
  })

  it('names the one reason why nothing is restored', async () => {
    const receiver = await withDead(4, { undoSeconds: 60 })
    const brief = receiverOf({ undoSeconds: 0.001 })
    const why = (given: string) => receiver.undo(given, audit).catch(({ message }: Error) => message)
    await receiver.discard('evt_0', audit)
    await receiver.undo('evt_0', audit)
    expect(await why('evt_0')).toMatch(/nothing was restored: an operator restored it at 2\d{3}-/)
    await brief.discard('evt_1', audit)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await why('evt_1')).toMatch(/: an operator discarded it at .+, and its window for undo has ended/)
    await receiver.discard('evt_2', audit)
    await receiver.receive(await delivery({ ...settled, id: 'evt_2' }))
    expect(await why('evt_2')).toMatch(/: it was delivered again after an operator discarded it at /)
    expect(await why('evt_3')).toContain('nothing was restored: nothing was discarded under it')
    const { id } = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    await (await receiver.findRun(id))?.finished()
    await receiver.undo(id, audit)
    expect(await why(id)).toMatch(/: an operator restored it at /)
    const none = await receiver.plan({ action: 'discard', where: { type: 'none' } })
    expect(await why((await receiver.run(none, audit)).id)).toContain('this run has discarded nothing')
  })

  it('names who restored or discarded this event, and not another one', async () => {
    const receiver = await withDead(3)
    const by = (actor: string) => ({ ...audit, actor })
    const why = (given: string) => receiver.undo(given, audit).catch(({ message }: Error) => message)
    await receiver.discard('evt_0', by('first'))
    await receiver.undo('evt_0', by('second'))
    await receiver.replay('evt_0', by('third'))
    await receiver.discard('evt_1', by('fourth'))
    expect(await why('evt_0')).toMatch(/: second restored it at /)
    const terms = { ...by('fifth'), perSecond: 0.001 }
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), terms)
    await expect.poll(async () => (await run.progress()).applied, patiently).toBe(1)
    await receiver.undo(run.id, by('sixth'))
    await run.cancel(by('seventh'))
    expect(await why(run.id)).toMatch(/: sixth restored it at /)
  })

  it('of a run says who discarded its event again', async () => {
    const receiver = await withDead(1)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    await run.finished()
    await receiver.undo('evt_0', audit)
    await receiverOf({ undoSeconds: 0 }).discard('evt_0', { ...audit, actor: 'another' })
    const message = expect.stringMatching(/: another discarded it at .+, and its window for undo has ended/)
    await expect(receiver.undo(run.id, audit)).rejects.toMatchObject({ ...wrongState, message })
  })

  it('takes back only the discard that the caller saw', async () => {
    const receiver = await withDead(2)
    const other = { ...settled, id: 'evt_0', data: { ...settled.data, transferId: 'other' } }
    await receiver.receive(await delivery(other))
    const key = (await receiver.quarantined())[0]?.key as string
    for (const id of ['evt_1', key]) {
      await receiver.discard(id, audit)
      const [seen] = await receiver.undoable(id)
      await receiver.undo(id, audit)
      await expect(receiver.undo(id, audit, { seen })).rejects.toMatchObject(wrongState)
      // Two discards at the same millisecond cannot be told apart.
      await new Promise((resolve) => setTimeout(resolve, 5))
      await receiver.discard(id, { ...audit, actor: 'another' })
      await expect(receiver.undo(id, audit, { seen })).rejects.toMatchObject({
        name: 'ConflictError',
        code: 'discard_changed',
      })
      const [now] = await receiver.undoable(id)
      expect(await receiver.undo(id, audit, { seen: now })).toBe(1)
    }
  })

  it('of a run that has not ended cancels it first', async () => {
    const receiver = await withDead(4)
    const before = await receiver.list()
    for (const state of ['running', 'paused'] as const) {
      const plan = await receiver.plan({ action: 'discard' })
      const run = await receiver.run(plan, { ...audit, perSecond: 0.001 })
      await expect.poll(async () => (await run.progress()).applied, patiently).toBe(1)
      if (state === 'paused') {
        await run.pause(audit)
      }
      const seen = await run.progress()
      expect(seen.state).toBe(state)
      expect(await receiver.undo(run.id, { reason: 'wrong plan', actor: 'Ann' }, { seen })).toBe(1)
      expect(await run.progress()).toMatchObject({
        state: 'cancelled',
        applied: 1,
        restored: 1,
        remaining: 3,
      })
      expect((await run.acts()).slice(0, 2)).toMatchObject([
        { action: 'undo', actor: 'Ann', reason: 'wrong plan' },
        { action: 'cancelRun', actor: 'Ann', reason: 'wrong plan' },
      ])
      expect(await run.resume(audit)).toBe(false)
      expect(await receiver.list()).toEqual(before)
    }
  })

  it('of a run that has discarded nothing yet does not cancel it', async () => {
    const receiver = await withDead(1)
    const plan = await receiver.plan({ action: 'discard' })
    await receiver.stop()
    const run = await receiver.run(plan, audit)
    await expect(receiver.undo(run.id, audit)).rejects.toThrow('this run has discarded nothing')
    expect(await run.progress()).toMatchObject({ state: 'running', changes: 0 })
  })

  it('of a run takes back nothing that it discarded after the caller looked', async () => {
    const receiver = await withDead(2)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
    await expect.poll(async () => (await run.progress()).applied, patiently).toBe(1)
    const seen = await run.progress()
    await run.pause(audit)
    const changed = { name: 'ConflictError', code: 'run_changed' }
    await expect(receiver.undo(run.id, audit, { seen })).rejects.toMatchObject(changed)
    expect(await receiver.undo(run.id, audit, { seen: await run.progress() })).toBe(1)
  })

  it('finds what the caller saw, and nothing else under the same id', async () => {
    const receiver = await withDead(1)
    await receiver.discard('evt_0', audit)
    const [seen] = await receiver.undoable('evt_0')
    const run = { state: 'done', changes: 0 } as const
    await expect(receiver.undo('evt_0', audit, { seen: run })).rejects.toMatchObject(wrongState)
    for (const options of [{ seen: {} }, { seen: null }, { seen: 'now' }, { seen, kind: 'delivery' }]) {
      await expect(receiver.undo('evt_0', audit, options as never)).rejects.toMatchObject(invalid)
    }
    const without = { kind: 'event' as const, undoUntil: undefined as never }
    await expect(receiver.undo('evt_0', audit, { seen: without })).rejects.toMatchObject(invalid)
    expect(await receiver.undo('evt_0', audit, { seen, kind: 'event' })).toBe(1)
  })

  it('can be foreseen, for an event, a delivery and a run', async () => {
    const receiver = await withDead(3)
    await receiver.discard('evt_0', audit)
    const event = { kind: 'event', eventId: 'evt_0', isReplaced: false }
    expect(await receiver.undoable('evt_0')).toMatchObject([event])
    expect(await receiver.undoable('evt_0', { kind: 'delivery' })).toEqual([])
    expect(await receiver.undoable('evt_1')).toEqual([])
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    await run.finished()
    const ids = (await receiver.undoable(run.id)).map(({ eventId }) => eventId)
    expect(ids.toSorted()).toEqual(['evt_1', 'evt_2'])
    expect(await receiver.undoable(run.id, { limit: 1 })).toHaveLength(1)
    expect(await receiverOf({ endpoint: 'other' }).undoable('evt_0')).toEqual([])
    await expect(receiver.undoable('evt_0', { kind: 'run' as never })).rejects.toMatchObject(invalid)
    expect((await receiver.audits({ limit: 1 }))[0]?.action).toBe('discard')
  })

  it('is possible until the time that explain names', async () => {
    const receiver = await withDead(1)
    await receiver.discard('evt_0', audit)
    const [hidden] = await receiver.undoable('evt_0')
    const why = await receiver.explain('evt_0')
    expect(why).toMatchObject({ reason: 'discarded', actor: 'an operator', undoUntil: hidden?.undoUntil })
    expect(why.sentence).toBe(
      `Event evt_0 was discarded by an operator at ${(why as { discardedAt?: string }).discardedAt}: ` +
        `the bank was down; undo is possible until ${hidden?.undoUntil}.`,
    )
    await receiver.undo('evt_0', audit)
    expect((await receiver.explain('evt_0')).reason).toBe('dead')
    await receiverOf({ undoSeconds: 0 }).discard('evt_0', audit)
    const over = await receiver.explain('evt_0')
    expect(over.sentence).toMatch(/its window for undo has ended\.$/)
    expect(over).not.toHaveProperty('undoUntil')
  })

  it('is rejected after the window, for what is unknown, and where undoSeconds is 0', async () => {
    const receiver = await withDead(2, { undoSeconds: 0.001 })
    await receiver.discard('evt_0', audit)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await expect(receiver.undo('evt_0', audit)).rejects.toMatchObject(wrongState)
    await expect(receiver.undo('evt_unknown', audit)).rejects.toMatchObject(wrongState)
    const forever = receiverOf({ undoSeconds: 0 })
    await forever.discard('evt_1', audit)
    await expect(forever.undo('evt_1', audit)).rejects.toMatchObject(wrongState)
    await receiver.prune()
    expect((await receiver.health()).counts.dead).toBe(0)
  })
})
