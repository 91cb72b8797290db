import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localQueue } from '../../src/queues/local.js'
import { createReceiver, type Receiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { open } from '../stores/sqlite-rig.js'
import { clock, delivery, secret, settled } from './deliver.js'

afterAll(removeFiles)

const audit = { reason: 'the bank was down', actor: 'an operator' }
const invalid = { name: 'ConfigurationError', code: 'invalid_option' }
const patiently = { timeout: 20_000, interval: 50 }

let path: string
let started: Receiver[] = []
let isBroken = true
let ran: string[] = []
beforeEach(() => {
  path = newFile()
  isBroken = true
  ran = []
})
afterEach(async () => {
  await Promise.all(started.map((receiver) => receiver.stop()))
  started = []
})

function receiverOf(over: object = {}): Receiver {
  return createReceiver({
    secret,
    now: clock,
    logger: false,
    store: sqliteStore(path),
    queue: localQueue({ pollSeconds: 3600, retry: { attempts: 1 } }),
    fallback({ id }: { id: string }) {
      ran.push(id)
      if (isBroken) {
        throw new Error('the bank is down')
      }
    },
    ...over,
  } as never)
}

async function start(receiver: Receiver): Promise<Receiver> {
  started.push(receiver)
  await receiver.start()
  return receiver
}

/** Returns a started receiver with so many dead events. */
async function withDead(count: number, over: object = {}): Promise<Receiver> {
  const receiver = await start(receiverOf(over))
  for (let i = 0; i < count; i++) {
    await receiver.receive(await delivery({ ...settled, id: `evt_${i}` }))
  }
  await expect.poll(async () => (await receiver.health()).counts.dead, patiently).toBe(count)
  ran = []
  return receiver
}

describe('a bulk run', () => {
  it('replays what was planned, after its canary is done', async () => {
    const receiver = await withDead(12)
    const plan = await receiver.plan({ action: 'replay', where: { type: settled.type } })
    expect(plan).toMatchObject({ action: 'replay', count: 12, isCapped: false, endpoint: 'default' })
    isBroken = false
    const run = await receiver.run(plan, { ...audit, perSecond: 1000 })
    const { applied, canary, skipped, remaining, state } = await run.finished()
    expect({ applied, canary, skipped, remaining, state }).toEqual({
      applied: 12,
      canary: 5,
      skipped: {},
      remaining: 0,
      state: 'done',
    })
    await expect.poll(async () => (await receiver.health()).counts.done, patiently).toBe(12)
    expect(ran.sort()).toEqual(Array.from({ length: 12 }, (_, i) => `evt_${i}`).sort())
    const entries = await receiver.audits({ run: run.id })
    expect(entries.filter(({ action }) => action === 'replay')).toHaveLength(12)
    expect(entries.at(-1)).toMatchObject({ action: 'startRun', subject: plan.id, ...audit })
    expect(await receiver.runs()).toMatchObject([{ id: run.id, plan: plan.id, ...audit }])
  })

  it('stops when its canary fails again, and leaves the rest alone until it is resumed', async () => {
    const receiver = await withDead(8)
    const plan = await receiver.plan({ action: 'replay' })
    const run = await receiver.run(plan.id, { ...audit, perSecond: 1000, canary: 2 })
    const stopped = await run.finished()
    expect(stopped).toMatchObject({ state: 'stopped', applied: 2, remaining: 6 })
    expect(stopped.note).toMatch(/its canary failed: evt_\d/)
    expect(new Set(ran).size).toBe(2)
    isBroken = false
    expect(await run.resume(audit)).toBe(true)
    const { state, applied, note } = await run.finished()
    expect({ state, applied }).toEqual({ state: 'done', applied: 8 })
    expect(note).toMatch(/^1 event of its canary|^2 events of its canary/)
    expect(note).toMatch(/evt_\d.* Make another plan for those that are dead/)
  })

  it('of two operators applies each event once, and names the first', async () => {
    const receiver = await withDead(20)
    isBroken = false
    const [one, two] = [await receiver.plan({ action: 'replay' }), await receiver.plan({ action: 'replay' })]
    const terms = { reason: 'both saw it', perSecond: 1000, canary: 0 }
    const runs = await Promise.all([
      receiver.run(one, { ...terms, actor: 'first' }),
      receiver.run(two, { ...terms, actor: 'second' }),
    ])
    const ends = await Promise.all(runs.map((run) => run.finished()))
    const applied = ends.map((end) => end.applied)
    expect((applied[0] ?? 0) + (applied[1] ?? 0)).toBe(20)
    expect(ends.map((end) => end.applied + (end.skipped.already_replayed ?? 0))).toEqual([20, 20])
    await expect.poll(() => ran.length, patiently).toBe(20)
    expect(new Set(ran).size).toBe(20)
    const left = (await Promise.all(runs.map((run) => run.leftAlone()))).flat()
    expect(left).toHaveLength(20)
    expect(left.every(({ detail }) => detail === 'replay by first' || detail === 'replay by second')).toBe(
      true,
    )
  })

  it('waits while it is paused, goes on, and ends when it is cancelled', async () => {
    const receiver = await withDead(30)
    const plan = await receiver.plan({ action: 'discard' })
    const run = await receiver.run(plan, { ...audit, perSecond: 2 })
    await expect.poll(async () => (await run.progress()).applied, patiently).toBeGreaterThan(0)
    expect(await run.pause(audit)).toBe(true)
    const { applied, state } = await run.progress()
    expect(state).toBe('paused')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect((await run.progress()).applied).toBe(applied)
    expect(await run.resume(audit)).toBe(true)
    await expect.poll(async () => (await run.progress()).applied, patiently).toBeGreaterThan(applied)
    expect(await run.cancel(audit)).toBe(true)
    const end = await run.finished()
    expect(end.state).toBe('cancelled')
    expect(end.remaining).toBeGreaterThan(0)
    expect(await run.cancel(audit)).toBe(false)
    expect((await receiver.health()).counts.dead).toBe(30 - end.applied)
    await expect(run.pause({ ...audit, reason: '' })).rejects.toMatchObject(invalid)
  })

  it('that a process without start() records is applied by one that starts', async () => {
    await (await withDead(3)).stop()
    isBroken = false
    const elsewhere = receiverOf()
    const plan = await elsewhere.plan({ action: 'replay' })
    const run = await elsewhere.run(plan, { ...audit, canary: 0 })
    const receiver = await start(receiverOf())
    expect((await run.finished()).applied).toBe(3)
    expect(await receiver.findRun(run.id)).toBeDefined()
    expect(await receiver.findRun('run-unknown')).toBeUndefined()
  })

  it('leaves an event alone whose job the queue rejects three times', async () => {
    const receiver = await withDead(3)
    await receiver.stop()
    const queue = {
      guarantee: '',
      consume: async () => async () => {},
      enqueue: async ({ key }: { key: string }) => {
        if (key === refused) {
          throw new Error('no room')
        }
      },
    }
    const other = await start(receiverOf({ queue }))
    const refused = (await other.list()).at(1)?.key
    const run = await other.run(await other.plan({ action: 'replay' }), { ...audit, canary: 0 })
    expect(await run.finished()).toMatchObject({ state: 'done', applied: 2, failed: 1, remaining: 0 })
    expect(await run.leftAlone()).toMatchObject([
      { because: 'failed', detail: 'Error: no room', key: refused },
    ])
  })

  it('is pruned with its plan after retentionSeconds, and its audits stay', async () => {
    const receiver = await withDead(3)
    const plan = await receiver.plan({ action: 'discard' })
    await receiver.discard('evt_0', audit)
    const run = await receiver.run(plan, { ...audit, perSecond: 1000 })
    expect(await run.finished()).toMatchObject({ applied: 2, skipped: { is_gone: 1 } })
    await receiver.prune()
    expect(await receiver.findRun(run.id), 'younger than its retention').toBeDefined()

    const database = open(path)
    const ago = 'created_at = created_at - 100 * 86400000'
    database.exec(`UPDATE webhook_inbox_plans SET ${ago}`)
    database.exec(`UPDATE webhook_inbox_runs SET ${ago}, ended_at = ended_at - 100 * 86400000`)
    await receiver.prune()
    expect(await receiver.findRun(run.id)).toBeUndefined()
    expect(await receiver.runs()).toEqual([])
    await expect(receiver.run(plan, audit)).rejects.toMatchObject(invalid)
    const left = database.prepare('SELECT count(*) AS rows FROM webhook_inbox_run_items').all()
    expect(left.map((row) => Number((row as { rows: unknown }).rows))).toEqual([0])
    database.close()
    expect((await receiver.audits({ run: run.id })).map(({ action }) => action).sort()).toEqual([
      'discard',
      'discard',
      'startRun',
    ])
  })

  it('rejects what it cannot use', async () => {
    const receiver = receiverOf()
    for (const plan of [{}, { action: 'prune' }, { action: 'discard', where: { state: 'done' } }, null]) {
      await expect(receiver.plan(plan as never)).rejects.toMatchObject(invalid)
    }
    await expect(receiver.plan({ action: 'replay', where: { kind: 1 } } as never)).rejects.toMatchObject({
      code: 'unknown_option',
    })
    await expect(receiver.run('plan-unknown', audit)).rejects.toMatchObject(invalid)
    const plan = await receiver.plan({ action: 'replay' })
    for (const options of [{ actor: 'a' }, { ...audit, perSecond: 0 }, { ...audit, canary: -1 }]) {
      await expect(receiver.run(plan, options as never)).rejects.toMatchObject(invalid)
    }
    const inline = receiverOf({ queue: undefined })
    await expect(inline.run(plan, audit)).rejects.toThrow(/needs a queue/)
    const forgetful = createReceiver({ secret, store: memoryStore(), logger: false, fallback: () => {} })
    for (const refused of [forgetful.plan({ action: 'discard' }), forgetful.runs()]) {
      await expect(refused).rejects.toMatchObject({ code: 'invalid_store' })
    }
  })
})

it('a receiver neither sees nor changes the plans, runs and discards of another endpoint', async () => {
  const mine = await withDead(3)
  const other = receiverOf({ endpoint: 'other' })
  const plan = await mine.plan({ action: 'discard' })
  expect(await other.findPlan(plan.id)).toBeUndefined()
  await expect(other.run(plan, audit)).rejects.toMatchObject(invalid)
  const where = { endpoint: 'default' }
  await expect(other.plan({ action: 'discard', where })).rejects.toMatchObject(invalid)
  expect(await mine.plan({ action: 'discard', where })).toMatchObject({ count: 3 })
  const run = await mine.run(plan, audit)
  await run.finished()
  expect(await other.findRun(run.id)).toBeUndefined()
  expect(await other.runs()).toEqual([])
  await expect(other.undo(run.id, audit)).rejects.toMatchObject(invalid)
  expect(await mine.list()).toEqual([])
  expect(await mine.undo(run.id, audit)).toBe(3)
})

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
    expect(await receiver.quarantined()).toEqual([quarantined])
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
    await expect(receiver.undo('evt_0', audit)).rejects.toMatchObject(invalid)
    await expect(receiver.undo('evt_unknown', audit)).rejects.toMatchObject(invalid)
    const forever = receiverOf({ undoSeconds: 0 })
    await forever.discard('evt_1', audit)
    await expect(forever.undo('evt_1', audit)).rejects.toMatchObject(invalid)
    await receiver.prune()
    expect((await receiver.health()).counts.dead).toBe(0)
  })
})
