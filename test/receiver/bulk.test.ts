import { describe, expect, it } from 'vitest'
import type { BulkRun } from '../../src/operations/run-plan.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { open } from '../stores/sqlite-rig.js'
import {
  audit,
  bank,
  file,
  invalid,
  noTarget,
  openBulkRig,
  patiently,
  ran,
  receiverOf,
  start,
  withDead,
  wrongState,
} from './bulk-rig.js'
import { secret, settled } from './deliver.js'

openBulkRig()

describe('a bulk run', () => {
  it('replays what was planned, after its canary is done', async () => {
    const receiver = await withDead(12)
    const plan = await receiver.plan({ action: 'replay', where: { type: settled.type } })
    expect(plan).toMatchObject({ action: 'replay', count: 12, isCapped: false, endpoint: 'default' })
    bank.isDown = false
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
    bank.isDown = false
    expect(await run.resume(audit)).toBe(true)
    const { state, applied, note } = await run.finished()
    expect({ state, applied }).toEqual({ state: 'done', applied: 8 })
    expect(note).toMatch(/^1 event of its canary|^2 events of its canary/)
    expect(note).toMatch(/evt_\d.* Make another plan for those that are dead/)
  })

  it('is not resumed by an operator who saw an earlier pause', async () => {
    const receiver = await withDead(3)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
    await run.pause(audit)
    const seen = await run.progress()
    await run.resume(audit, { seen })
    await run.pause({ reason: 'a wrong amount', actor: 'another operator' })
    const changed = { name: 'ConflictError', code: 'run_changed' }
    await expect(run.resume(audit, { seen })).rejects.toMatchObject(changed)
    await expect(run.cancel(audit, { seen })).rejects.toMatchObject(changed)
    await expect(run.cancel(audit, { seen: {} as never })).rejects.toMatchObject(invalid)
    const now = await run.progress()
    expect(now).toMatchObject({ state: 'paused', changes: 3 })
    expect(await run.cancel(audit, { seen: now })).toBe(true)
  })

  it('of two operators who steer it at once obeys one', async () => {
    const receiver = await withDead(3)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
    const seen = await run.progress()
    const other = await receiver.findRun(run.id)
    const ends = await Promise.allSettled([
      run.pause(audit, { seen }),
      other?.cancel({ reason: 'a wrong amount', actor: 'another operator' }, { seen }),
      run.pause({ ...audit, actor: 'a third' }, { seen }),
    ])
    const words = ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.code))
    expect(words.filter((word) => word === true)).toHaveLength(1)
    // It is false for the second of two who pause it.
    expect(words.every((word) => [true, false, 'run_changed'].includes(word))).toBe(true)
    expect([(await run.progress()).changes, await run.acts()]).toMatchObject([1, [{}]])
    await run.cancel(audit)
  })

  it('slower than its lease keeps the lease, so that no process continues it early', async () => {
    const receiver = await withDead(3)
    const plan = await receiver.plan({ action: 'discard' })
    const run = await receiver.run(plan, { ...audit, perSecond: 0.001 })
    await expect.poll(async () => (await run.progress()).applied, patiently).toBe(1)
    const database = open(file())
    const leases = database.prepare('SELECT lease_until FROM webhook_inbox_runs')
    const leaseOf = () => Number((leases.all() as { lease_until: number }[])[0]?.lease_until)
    const before = leaseOf()
    await expect.poll(leaseOf, patiently).toBeGreaterThan(before)
    database.close()
    expect((await run.progress()).applied).toBe(1)
    expect(await run.cancel(audit)).toBe(true)
  })

  it('of two operators applies each event once, and names the first', async () => {
    const receiver = await withDead(20)
    bank.isDown = false
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
    bank.isDown = false
    const elsewhere = receiverOf()
    const plan = await elsewhere.plan({ action: 'replay' })
    const run = await elsewhere.run(plan, { ...audit, canary: 0 })
    const more: BulkRun[] = []
    for (let i = 0; i < 3; i++) {
      more.push(await elsewhere.run(await elsewhere.plan({ action: 'giveUp' }), audit))
    }
    const receiver = await start(receiverOf())
    expect((await run.finished()).applied).toBe(3)
    for (const next of more) {
      expect(await next.finished(), 'without waiting for a beat').toMatchObject({ state: 'done' })
    }
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

  it('leaves no event alone because the queue rejects its job while the program stops', async () => {
    const receiver = await withDead(3)
    await receiver.stop()
    let tries = 0
    const closed = {
      guarantee: '',
      consume: async () => async () => {},
      async enqueue() {
        tries++
        throw new Error('it is closed')
      },
    }
    const other = await start(receiverOf({ queue: closed }))
    const run = await other.run(await other.plan({ action: 'replay' }), { ...audit, canary: 0 })
    await expect.poll(() => tries, patiently).toBeGreaterThan(0)
    await other.stop()
    expect(await run.progress()).toMatchObject({ state: 'running', applied: 0, failed: 0 })
    bank.isDown = false
    await start(receiverOf())
    expect(await run.finished()).toMatchObject({ state: 'done', applied: 3, failed: 0 })
  })

  it('is pruned with its plan after retentionSeconds, and its audits stay', async () => {
    const receiver = await withDead(3)
    const plan = await receiver.plan({ action: 'discard' })
    await receiver.discard('evt_0', audit)
    const run = await receiver.run(plan, { ...audit, perSecond: 1000 })
    expect(await run.finished()).toMatchObject({ applied: 2, skipped: { is_gone: 1 } })
    await receiver.prune()
    expect(await receiver.findRun(run.id), 'younger than its retention').toBeDefined()

    const database = open(file())
    const ago = 'created_at = created_at - 100 * 86400000'
    database.exec(`UPDATE webhook_inbox_plans SET ${ago}`)
    database.exec(`UPDATE webhook_inbox_runs SET ${ago}, ended_at = ended_at - 100 * 86400000`)
    await receiver.prune()
    expect(await receiver.findRun(run.id)).toBeUndefined()
    expect(await receiver.runs()).toEqual([])
    await expect(receiver.run(plan, audit)).rejects.toMatchObject(noTarget)
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
    await expect(receiver.run('plan-unknown', audit)).rejects.toMatchObject(noTarget)
    const plan = await receiver.plan({ action: 'replay' })
    for (const options of [{ actor: 'a' }, { ...audit, perSecond: 0 }, { ...audit, canary: -1 }]) {
      await expect(receiver.run(plan, options as never)).rejects.toMatchObject(invalid)
    }
    const message = expect.stringContaining('canary must be a whole number from 0 to 2147483647')
    await expect(receiver.run(plan, { ...audit, canary: 1e15 })).rejects.toMatchObject({
      ...invalid,
      message,
    })
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
  await expect(other.run(plan, audit)).rejects.toMatchObject(noTarget)
  const where = { endpoint: 'default' }
  await expect(other.plan({ action: 'discard', where })).rejects.toMatchObject(invalid)
  expect(await mine.plan({ action: 'discard', where })).toMatchObject({ count: 3 })
  const run = await mine.run(plan, audit)
  await run.finished()
  expect(await other.findRun(run.id)).toBeUndefined()
  expect(await other.runs()).toEqual([])
  await expect(other.undo(run.id, audit)).rejects.toMatchObject(wrongState)
  expect(await mine.list()).toEqual([])
  expect(await mine.undo(run.id, audit)).toBe(3)
})
