import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FlowGate, type FlowOptions, type GatedRun, type RunEnd } from '../../src/flow/flow-gate.js'
import { jobOf } from '../../src/flow/job-of.js'
import type { JobHeld } from '../../src/queue/queue.js'
import type { Circuit, FlowStore, Holds } from '../../src/store/flow-store.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const none: Holds = { pauses: [], circuits: [] }
const open = { type: 't', fingerprint: 'f', failures: 3, isOnTrial: false, isHolding: false }
const pauseOf = (given: object) => ({ endpoint: 'e', reason: 'r', actor: 'a', pausedAt: 'now', ...given })
const job = (about: object = {}) => ({ key: 'k', type: 't', endpoint: 'e', generation: 0, ...about })

/** A gate on a store that holds back what `state.holds` says, with a list of the calls that it got. */
function rig(options: Partial<FlowOptions> = {}, script: Partial<FlowStore> = {}) {
  const calls: string[] = []
  const state = { holds: none }
  const answers: Record<string, (...given: never[]) => Promise<unknown>> = {
    holds: async () => state.holds,
    startTrial: async () => true,
    closeCircuit: async () => true,
    countFailure: async () => {},
    ...(script as object),
  }
  const store = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      (...given: never[]) => {
        calls.push([name, ...given].map((each) => JSON.stringify(each)).join(' '))
        return answer(...given)
      },
    ]),
  ) as unknown as FlowStore
  const onResumed = vi.fn()
  const gate = new FlowGate({ endpoint: 'e', trialSeconds: 9, leaseSeconds: 9, ...options }, store, onResumed)
  const run = (end: RunEnd = { state: 'untried' }, about = {}) =>
    gate.run(job(about), async ({ begin, ended }) => {
      await begin()
      ended(end)
    })
  return { gate, state, calls, onResumed, run }
}

const breaker = { failures: 3, retryAfterSeconds: 60 }
const failed: RunEnd = { state: 'failed', fingerprint: 'f' }
const rule = JSON.stringify(breaker)
const read = '"holds" "e"'

test('a store is read at most once a second, however many events run', async () => {
  const { gate, calls, run, onResumed } = rig()
  await Promise.all([run(), run(), run()])
  await vi.advanceTimersByTimeAsync(1000)
  await run()
  expect(calls).toEqual([read])
  await vi.advanceTimersByTimeAsync(1)
  await run()
  expect(calls).toEqual([read, read])
  await gate.refresh()
  expect(calls).toHaveLength(3)
  expect(onResumed).not.toHaveBeenCalled()
})

test.each<[string, RunEnd, Partial<FlowOptions>, readonly Circuit[], readonly string[]]>([
  ['a success of a type without failures', { state: 'succeeded' }, { breaker }, [], []],
  ['a success after failures', { state: 'succeeded' }, {}, [open], ['"closeCircuit" "e" "t"', read]],
  ['a failure', failed, { breaker }, [], [`"countFailure" "e" "t" "f" ${rule}`, read]],
  ['a failure without a breaker', failed, {}, [open], []],
  ['a run that says nothing of the handler', { state: 'untried' }, { breaker }, [open], []],
])('%s tells the store what it must know', async (_, end, options, circuits, told) => {
  const { calls, state, run } = rig(options)
  state.holds = { pauses: [], circuits }
  await run(end)
  expect(calls).toEqual([read, ...told])
})

test('a store that fails to count changes neither the result of the event nor the next one', async () => {
  const down = () => Promise.reject(new Error('the store is down'))
  const { state, run, gate } = rig({ breaker }, { countFailure: down, closeCircuit: down })
  state.holds = { pauses: [], circuits: [open] }
  await run({ state: 'succeeded' })
  const cause = new Error('the ledger is down')
  const work = async ({ ended }: GatedRun) => {
    ended(failed)
    throw cause
  }
  await expect(gate.run(job(), work)).rejects.toBe(cause)
})

test('an open circuit holds its type back, and then needs a trial of the store', async () => {
  const retryAt = '2026-01-01T00:00:00Z'
  const { state, run, calls, gate } = rig(
    {},
    { startTrial: vi.fn(async () => true).mockResolvedValueOnce(false) },
  )
  state.holds = { pauses: [], circuits: [{ ...open, retryAt, isHolding: true }] }
  const held = { name: 'JobHeld', reason: 'circuit_open' }
  await expect(run()).rejects.toMatchObject(held)
  await run({ state: 'untried' }, { type: 'other' })
  expect(calls).toEqual([read])
  state.holds = { pauses: [], circuits: [{ ...open, retryAt }] }
  await gate.refresh()
  await expect(run()).rejects.toMatchObject(held)
  await run()
  expect(calls.slice(2)).toEqual(Array(2).fill('"startTrial" "e" "t" 9'))
  gate.end()
})

test('an end is told when a pause or a circuit holds nothing back any more, and only then', async () => {
  const { gate, onResumed } = rig()
  const circuits = [
    { ...open, isHolding: true },
    { ...open, type: 'u', isHolding: true },
  ]
  const pauses = [pauseOf({ type: 't' }), pauseOf({ resource: 't' }), pauseOf({})]
  gate.take({ pauses, circuits }, performance.now())
  gate.take({ pauses: pauses.toReversed(), circuits: circuits.toReversed() }, performance.now())
  expect(onResumed).not.toHaveBeenCalled()
  let times = 0
  for (const fewer of [
    { pauses, circuits: circuits.slice(1) },
    { pauses, circuits: circuits.slice(1).map((each) => ({ ...each, isHolding: false })) },
    { pauses: pauses.slice(1), circuits: [] },
    { pauses: pauses.slice(2), circuits: [] },
    none,
  ]) {
    gate.take(fewer, performance.now())
    expect(onResumed).toHaveBeenCalledTimes(++times)
  }
})

test('an end is told when a short trial closes its circuit, for jobs that were dropped meanwhile', async () => {
  const startTrial = vi.fn(async () => false).mockResolvedValueOnce(true)
  const { state, run, gate, onResumed } = rig({}, { startTrial })
  state.holds = { pauses: [], circuits: [{ ...open, retryAt: '2026-01-01T00:00:00Z' }] }
  await gate.run(job(), async ({ begin, ended }) => {
    await begin()
    await expect(run()).rejects.toMatchObject({ reason: 'circuit_open' })
    state.holds = none
    ended({ state: 'succeeded' })
  })
  expect(onResumed).toHaveBeenCalledTimes(1)
  gate.end()
})

const paused: Holds = { pauses: [pauseOf({ type: 't' })], circuits: [] }

test('an answer to an older question does not undo a pause', async () => {
  const { gate, run, onResumed } = rig()
  const asked = performance.now()
  gate.take(paused, asked)
  gate.take(none, asked - 1)
  await expect(run()).rejects.toMatchObject({ reason: 'paused' })
  expect(onResumed).not.toHaveBeenCalled()
})

test('an answer is used for a second since the question, however late it comes', async () => {
  const { gate, run, calls } = rig()
  gate.take(none, performance.now() - 1001)
  await run()
  expect(calls).toEqual([read])
})

test('a question that began before a pause is asked again after it', async () => {
  let answer = (_: Holds) => {}
  const first = new Promise<Holds>((resolve) => {
    answer = resolve
  })
  const holds = vi.fn(async () => paused).mockReturnValueOnce(first)
  const { gate, run, calls } = rig({}, { holds })
  const early = gate.refresh()
  await vi.advanceTimersByTimeAsync(0)
  // Both callers have changed something since, and one question serves both.
  const late = Promise.all([gate.refresh(), gate.refresh()])
  answer(none)
  await early
  await late
  expect(calls).toEqual([read, read])
  await expect(run()).rejects.toMatchObject({ reason: 'paused' })
})

test('a circuit that allows a trial is read again at that time, also after a failure of the store', async () => {
  const { gate, calls, onResumed } = rig(
    {},
    { holds: vi.fn(async () => none).mockRejectedValueOnce(new Error('the store is down')) },
  )
  const retryAt = () => new Date(Date.now() + 5000).toISOString()
  const holding = () => ({ pauses: [], circuits: [{ ...open, retryAt: retryAt(), isHolding: true }] })
  gate.take(holding(), performance.now())
  await vi.advanceTimersByTimeAsync(5050)
  expect([calls, onResumed.mock.calls]).toEqual([[read], []])
  gate.take(holding(), performance.now())
  await vi.advanceTimersByTimeAsync(5050)
  expect([calls.length, onResumed.mock.calls.length]).toEqual([2, 1])
  gate.take(holding(), performance.now())
  gate.end()
  expect(vi.getTimerCount()).toBe(0)
})

test('an event over its limit is still found if no search can leave it out', async () => {
  const { gate } = rig({ limits: { perResource: { concurrency: 1 } } })
  const tries = (resource: string) => gate.run(job({ resource }), () => new Promise(() => {}))
  const over = async (resource: string) => {
    void tries(resource)
    return await tries(resource).then(
      () => expect.unreachable(),
      (error: JobHeld) => error,
    )
  }
  const mostNamed = 10_000
  for (let i = 0; i < mostNamed; i++) {
    expect((await over(`r${i}`)).isStillFound).toBe(false)
  }
  expect(await over('last')).toMatchObject({ reason: 'rate_limited', isStillFound: true })
})

test('the searches name what is at its limit, by priority, and when a limit allows more', async () => {
  const { gate, run } = rig({
    limits: { byType: { t: { perSecond: 0.5 }, u: { perSecond: 1 } } },
    priorities: { t: 5, u: -1, v: 5, w: 0 },
  })
  expect(gate.searches()).toEqual({
    filters: [{ onlyTypes: ['t', 'v'] }, { exceptTypes: ['t', 'u', 'v'] }, { onlyTypes: ['u'] }],
    wakeAfterSeconds: 0,
  })
  await run()
  await run({ state: 'untried' }, { type: 'u' })
  expect(gate.searches()).toEqual({
    filters: [{ onlyTypes: ['v'] }, { exceptTypes: ['t', 'u', 'v'] }],
    wakeAfterSeconds: 1,
  })
})

test('without priorities one search leaves out what is at its limit', async () => {
  const { gate } = rig({ limits: { byType: { t: { concurrency: 1 } }, perResource: { concurrency: 1 } } })
  expect(gate.searches()).toEqual({ filters: [{}], wakeAfterSeconds: 0 })
  const tries = (type: string, resource: string) =>
    gate.run(job({ type, resource }), () => new Promise(() => {}))
  void tries('t', 'r')
  await vi.advanceTimersByTimeAsync(0)
  await expect(tries('u', 'r')).rejects.toMatchObject({ reason: 'rate_limited' })
  expect(gate.searches().filters).toEqual([{ exceptTypes: ['t'], exceptResources: ['r'] }])
})

test('the job of an event has its priority, and the generation of its replay', () => {
  const event = { key: 'k', type: 't', endpoint: 'e', resource: 'r' }
  expect(jobOf({}, event)).toEqual({ ...event, generation: 0, priority: undefined })
  expect(jobOf({ priorities: { t: 5 } }, event, 2)).toEqual({ ...event, generation: 2, priority: 5 })
})
