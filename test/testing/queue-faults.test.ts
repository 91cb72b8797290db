import { afterEach, describe, expect, it, vi } from 'vitest'
import { type LawFaults, type QueueFault, queueLaws, runQueueLaw } from './queue-fault.js'
import { ignoresResources } from './queue-fault-kinds.js'
import { orderFaults } from './queue-order-faults.js'
import { retryFaults } from './queue-retry-faults.js'
import { runFaults } from './queue-run-faults.js'

/** Somebody who writes a queue relies on the suite to find these faults, each with the law that forbids it. */
const laws: Record<string, LawFaults> = { ...runFaults, ...retryFaults, ...orderFaults }

/** What is wrong with what a law says about a fault. */
async function unfound(law: string, { says = '', ...fault }: QueueFault & { says?: string }) {
  try {
    await runQueueLaw(law, fault)
  } catch (error) {
    const { message } = error as Error
    return message.includes(says) ? undefined : `says: ${message}`
  }
  return 'it is not found'
}

async function unfoundOf(law: string, faults: Readonly<Record<string, QueueFault>>) {
  const all = await Promise.all(
    Object.entries(faults).map(async ([name, fault]) => [name, await unfound(law, fault)] as const),
  )
  return all.filter(([, problem]) => problem !== undefined)
}

describe.each(Object.entries(laws))('the law that %s', (law, { found, never = {}, faster = 25 }) => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const hurry = () => {
    const now = performance.now.bind(performance)
    const startedAt = now()
    vi.spyOn(performance, 'now').mockImplementation(() => startedAt + faster * (now() - startedAt))
  }

  it('holds for a queue without a fault, and finds each fault', async () => {
    const [unfound] = await Promise.all([unfoundOf(law, found), runQueueLaw(law)])
    expect(unfound).toEqual([])
  })

  if (Object.keys(never).length > 0) {
    it('finds what never happens', async () => {
      hurry()
      const [unfound] = await Promise.all([unfoundOf(law, never), runQueueLaw(law)])
      expect(unfound).toEqual([])
    })
  }
})

describe('a law of queues', () => {
  it('has faults that it finds', () => {
    expect(Object.keys(laws)).toEqual(queueLaws())
  })

  it('closes each program that it has made, also if it fails', async () => {
    const closed: number[] = []
    const observed = { closed: (index: number) => void closed.push(index) }
    const law = 'events of one resource run one at a time, in order, across consumers'
    await runQueueLaw(law, {}, observed)
    await expect(runQueueLaw(law, ignoresResources, observed)).rejects.toThrow()
    expect(closed).toEqual([0, 1, 0, 1])
  })
})
