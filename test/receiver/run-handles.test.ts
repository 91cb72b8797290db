import { describe, expect, it, vi } from 'vitest'
import { StoreError } from '../../src/errors.js'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
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
} from './bulk-rig.js'
import { lines } from './deliver.js'

openBulkRig()

/** A receiver on the same file whose bulk store differs. */
function withBulk(change: (bulk: BulkStore<never>) => Partial<BulkStore<never>>, over: object = {}) {
  const store = sqliteStore(file())
  const bulk = store.inbox.bulk as BulkStore<never>
  const inbox = { ...store.inbox, bulk: { ...bulk, ...change(bulk) } }
  return receiverOf({ store: { ...store, inbox }, ...over })
}

describe('the plans of an endpoint', () => {
  it('are listed newest first, by the beginning of their ids, and with those of other endpoints', async () => {
    const [mine, other] = [receiverOf(), receiverOf({ endpoint: 'other' })]
    const first = await mine.plan({ action: 'discard' })
    const second = await mine.plan({ action: 'replay' })
    const third = await other.plan({ action: 'giveUp' })
    const ids = async (plans: Promise<readonly { id: string }[]>) => (await plans).map(({ id }) => id)
    expect(await ids(mine.plans())).toEqual([second.id, first.id])
    expect(await ids(mine.plans({ limit: 1 }))).toEqual([second.id])
    expect(await ids(mine.plans({ startsWith: first.id.slice(0, -1) }))).toEqual([first.id])
    expect(await ids(mine.plans({ allEndpoints: true }))).toEqual([third.id, second.id, first.id])
    expect(await ids(other.plans())).toEqual([third.id])
  })
})

describe('the runs of an endpoint', () => {
  it('are listed newest first, in pages, and with those of other endpoints', async () => {
    const [mine, other] = [receiverOf(), receiverOf({ endpoint: 'other' })]
    const first = await mine.run(await mine.plan({ action: 'discard' }), audit)
    await new Promise((resolve) => setTimeout(resolve, 2))
    const second = await mine.run(await mine.plan({ action: 'discard' }), audit)
    await new Promise((resolve) => setTimeout(resolve, 2))
    const third = await other.run(await other.plan({ action: 'discard' }), audit)
    const ids = async (runs: Promise<readonly { id: string }[]>) => (await runs).map(({ id }) => id)
    expect(await ids(mine.runs())).toEqual([second.id, first.id])
    expect(await ids(mine.runs({ limit: 1 }))).toEqual([second.id])
    expect(await ids(mine.runs({ after: second.id }))).toEqual([first.id])
    expect(await ids(mine.runs({ allEndpoints: true }))).toEqual([third.id, second.id, first.id])
  })
})

describe('a run', () => {
  it('lists what it changed and what it skipped, in pages', async () => {
    const receiver = await withDead(6)
    const plan = await receiver.plan({ action: 'replay' })
    await receiver.discard('evt_0', audit)
    await receiver.discard('evt_1', audit)
    bank.isDown = false
    const run = await receiver.run(plan, { ...audit, perSecond: 1000, canary: 0 })
    expect(await run.finished()).toMatchObject({ applied: 4, skipped: { is_gone: 2 } })
    await expect.poll(() => ran.length, patiently).toBe(4)
    await expect.poll(async () => (await run.appliedStates()).done, patiently).toBe(4)

    const applied = await run.applied()
    expect(applied.map(({ eventId }) => eventId)).toEqual(['evt_2', 'evt_3', 'evt_4', 'evt_5'])
    expect(await run.applied({ limit: 1 })).toEqual(applied.slice(0, 1))
    expect(await run.applied({ after: applied[1]?.place as number })).toEqual(applied.slice(2))
    expect(await run.applied({ state: 'done' })).toEqual(applied)
    expect(await run.applied({ state: 'dead' })).toEqual([])
    await expect(run.applied({ kind: 1 } as never)).rejects.toThrow('kind is not an option of applied')

    const skipped = await run.leftAlone()
    expect(skipped.map(({ because }) => because)).toEqual(['is_gone', 'is_gone'])
    expect(await run.leftAlone({ limit: 1 })).toEqual(skipped.slice(0, 1))
    expect(await run.leftAlone({ after: skipped[0]?.place as number })).toEqual(skipped.slice(1))
    await expect(run.leftAlone({ state: 'done' } as never)).rejects.toThrow('is not an option of leftAlone')
  })

  it('says who changed it, newest first', async () => {
    const receiver = await withDead(3)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
    await run.pause({ ...audit, actor: 'first' })
    await run.resume({ ...audit, actor: 'second' })
    await run.cancel({ ...audit, actor: 'third' })
    expect((await run.acts()).map(({ action, actor }) => [action, actor])).toEqual([
      ['cancelRun', 'third'],
      ['resumeRun', 'second'],
      ['pauseRun', 'first'],
    ])
    for (const verb of ['pause', 'resume', 'cancel'] as const) {
      await expect(run[verb]({} as never)).rejects.toThrow(`${verb} needs a reason`)
      await expect(run[verb](audit, { kind: 1 } as never)).rejects.toThrow(`is not an option of ${verb}`)
    }
  })

  it('needs a queue if it runs events, and none to discard or to give up', async () => {
    const receiver = receiverOf({ queue: undefined })
    for (const action of ['replay', 'retryNow'] as const) {
      const run = receiver.run(await receiver.plan({ action }), audit)
      const message = expect.stringContaining(`${action} needs a queue that runs the events`)
      await expect(run).rejects.toMatchObject({ ...invalid, message })
    }
    for (const action of ['discard', 'giveUp'] as const) {
      const run = await receiver.run(await receiver.plan({ action }), audit)
      expect((await run.progress()).canary).toBe(0)
    }
  })

  it('takes a pace up to a million, and a canary of any size', async () => {
    const receiver = receiverOf()
    const plan = await receiver.plan({ action: 'replay' })
    const run = await receiver.run(plan, audit)
    expect(await run.progress()).toMatchObject({ perSecond: 100, canary: 5 })
    const other = await receiver.run(plan, { ...audit, perSecond: 1_000_000, canary: 7 })
    expect(await other.progress()).toMatchObject({ perSecond: 1_000_000, canary: 7 })
    for (const perSecond of [0, -1, 1_000_001, Number.NaN, '5']) {
      const message = expect.stringContaining('perSecond must be a positive number, at most a million')
      const refused = receiver.run(plan, { ...audit, perSecond } as never)
      await expect(refused).rejects.toMatchObject({ ...invalid, message })
    }
  })

  it('of a plan that is pruned meanwhile is rejected, and says so when it is pruned itself', async () => {
    const receiver = receiverOf()
    const plan = await receiver.plan({ action: 'discard' })
    const late = withBulk(() => ({ startRun: async () => undefined }))
    await expect(late.run(plan, audit)).rejects.toMatchObject({
      ...noTarget,
      message: expect.stringContaining(`no plan ${plan.id} is kept`),
    })
    const run = await receiver.run(plan, audit)
    const database = open(file())
    database.exec('DELETE FROM webhook_inbox_runs')
    database.close()
    await expect(run.progress()).rejects.toMatchObject({
      ...noTarget,
      message: expect.stringContaining(`no run ${run.id} is kept`),
    })
  })

  it('is asked about less and less often while it goes on, but each second', async () => {
    let asked = 0
    const receiver = withBulk(({ readRun }) => ({
      readRun(id) {
        asked++
        return readRun(id)
      },
    }))
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    void run.finished()
    await vi.advanceTimersByTimeAsync(1000)
    const first = asked
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    expect(first).toBeGreaterThan(2)
    expect(first).toBeLessThan(12)
    expect(asked - first).toBeGreaterThan(55)
    expect(asked - first).toBeLessThan(65)
  })

  it('that has ended is undone only for who saw it as it is', async () => {
    const receiver = await withDead(2)
    const run = await receiver.run(await receiver.plan({ action: 'discard' }), audit)
    const seen = await run.finished()
    const changed = { name: 'ConflictError', code: 'run_changed' }
    const early = { ...seen, changes: seen.changes + 1 }
    await expect(receiver.undo(run.id, audit, { seen: early })).rejects.toMatchObject(changed)
    expect(await receiver.undo(run.id, audit, { seen })).toBe(2)
  })

  it('is handed over when its process stops, before its lease ends', async () => {
    const first = await withDead(3)
    const run = await first.run(await first.plan({ action: 'discard' }), { ...audit, perSecond: 0.001 })
    const applied = async () => (await run.progress()).applied
    await expect.poll(applied, patiently).toBe(1)
    await first.stop()
    expect(await run.progress()).toMatchObject({ state: 'running', applied: 1 })
    await start(receiverOf())
    // The lease is 15 s.
    await expect.poll(applied, { ...patiently, timeout: 10_000 }).toBe(2)
  })

  it('still waits for its canary after its process has stopped', async () => {
    await (await withDead(3)).stop()
    bank.isDown = false
    const idle = { guarantee: '', consume: async () => async () => {} }
    const first = await start(receiverOf({ queue: idle }))
    const run = await first.run(await first.plan({ action: 'replay' }), { ...audit, canary: 1 })
    const state = async () => (await run.progress()).state
    await expect.poll(state, patiently).toBe('canary')
    await first.stop()
    expect(await run.progress()).toMatchObject({ state: 'canary', applied: 1, isPastCanary: false })
    await start(receiverOf())
    expect(await run.finished()).toMatchObject({ state: 'done', applied: 3 })
    await expect.poll(() => ran.length, patiently).toBe(3)
  })

  it('goes on after each failure of the store, and the log names it', async () => {
    await (await withDead(3)).stop()
    bank.isDown = false
    const failing = new Set(['takeRun', 'step', 'settleRun', 'canaryOutcome'])
    const failOnce =
      <Given extends unknown[], Out>(verb: string, act: (...given: Given) => Promise<Out>) =>
      async (...given: Given): Promise<Out> => {
        if (failing.delete(verb)) {
          throw new StoreError(`${verb} failed`)
        }
        return act(...given)
      }
    const logger = lines()
    const receiver = withBulk(
      ({ takeRun, step, settleRun, canaryOutcome }) => ({
        takeRun: failOnce('takeRun', takeRun),
        step: failOnce('step', step),
        settleRun: failOnce('settleRun', settleRun),
        canaryOutcome: failOnce('canaryOutcome', canaryOutcome),
      }),
      { logger },
    )
    const run = await receiver.run(await receiver.plan({ action: 'replay' }), { ...audit, canary: 2 })
    await start(receiver)
    await expect.poll(() => failing.has('takeRun'), patiently).toBe(false)
    // A process looks again when a run is started, or after its poll.
    await (await receiver.run(await receiver.plan({ action: 'giveUp' }), audit)).finished()
    expect(await run.finished()).toMatchObject({ state: 'done', applied: 3, failed: 0 })
    expect(failing).toEqual(new Set())
    const errors = logger.written.filter((line) => line.startsWith('error'))
    expect(errors[0]).toContain('cannot look for bulk runs; it is retried')
    const waiting = errors.filter((line) => line.includes('waits for the store; it is retried'))
    expect(waiting).toHaveLength(3)
    expect(waiting.join('\n')).toContain(`bulk ${run.id} waits`)
    expect(logger.written.join('\n')).toContain(`bulk ${run.id} is done: 3 of 3 applied`)
    await expect.poll(() => ran.length, patiently).toBe(3)
  })
})
