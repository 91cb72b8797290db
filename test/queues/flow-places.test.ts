import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { JobNotDone } from '../../src/errors.js'
import { FlowGate, type FlowOptions } from '../../src/flow/flow-gate.js'
import type { Circuit, FlowStore, Holds } from '../../src/store/flow-store.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const job = { key: 'k', type: 't', endpoint: 'e', generation: 0 }

/** A gate on a store that holds back what `state.holds` says. */
function rig(options: Partial<FlowOptions> = {}) {
  const state: { holds: Holds } = { holds: { pauses: [], circuits: [] } }
  const store = { holds: async () => state.holds } as unknown as FlowStore
  const onResumed = vi.fn()
  const gate = new FlowGate({ endpoint: 'e', trialSeconds: 9, leaseSeconds: 9, ...options }, store, onResumed)
  const run = (work: () => Promise<void> = async () => {}) =>
    gate.run(job, async ({ begin }) => {
      await begin()
      await work()
    })
  return { gate, state, onResumed, run }
}

const oneAtATime = { limits: { byType: { t: { concurrency: 1 } } } }
const oneASecond = { limits: { byType: { t: { perSecond: 1 } } } }
const isFull = { reason: 'rate_limited' }

test('an event counts as running until it has ended', async () => {
  const { gate, run } = rig()
  await run(async () => expect(gate.running).toBe(1))
  expect(gate.running).toBe(0)
})

test('an event that did not start leaves its place', async () => {
  const { gate, run } = rig(oneAtATime)
  const untried = () => gate.run(job, async () => {})
  await untried()
  await untried()
  await run(async () => {
    await expect(run()).rejects.toMatchObject(isFull)
  })
  await run()
})

test('an event whose handler runs past its time has used its start, and keeps its place until that ends', async () => {
  for (const options of [oneAtATime, oneASecond]) {
    const { gate, run } = rig(options)
    let end = () => {}
    const overdue = new Promise<void>((resolve) => {
      end = resolve
    })
    const late = run(() => Promise.reject(new JobNotDone('too late', true, { overdue })))
    await expect(late).rejects.toThrow('too late')
    expect(gate.running).toBe(1)
    await expect(run()).rejects.toMatchObject(isFull)
    end()
    await vi.advanceTimersByTimeAsync(0)
    expect(gate.running).toBe(0)
    const next = run()
    await (options === oneAtATime ? next : expect(next).rejects.toMatchObject(isFull))
  }
})

const circuit = { type: 't', fingerprint: 'f', failures: 3, isOnTrial: false, isHolding: false }

test.each<[string, Circuit, number]>([
  ['a circuit that was open', { ...circuit, retryAt: '2026-01-01T00:00:00Z' }, 1],
  ['failures that opened no circuit', circuit, 0],
])('the end of %s is told so many times', async (_, before, times) => {
  const { gate, state, onResumed } = rig()
  state.holds = { pauses: [], circuits: [before] }
  await gate.refresh()
  state.holds = { pauses: [], circuits: [] }
  await gate.refresh()
  expect(onResumed).toHaveBeenCalledTimes(times)
  gate.end()
})

test('a circuit that ends is told while another one stays open', async () => {
  const { gate, state, onResumed } = rig()
  const open = { ...circuit, retryAt: '2026-01-01T00:00:00Z' }
  state.holds = { pauses: [], circuits: [open, { ...open, type: 'u' }] }
  await gate.refresh()
  state.holds = { pauses: [], circuits: [open] }
  await gate.refresh()
  expect(onResumed).toHaveBeenCalledTimes(1)
  gate.end()
})
