import { describe, expect, it } from 'vitest'
import type { LeaseStore } from '../../src/store/lease.js'
import type { Store } from '../../src/store/store.js'
import { memoryLeases, memoryStore } from '../../src/stores/memory.js'
import { leaseSuite, queueSuite, type StoreSuiteOptions, storeSuite } from '../../src/testing/index.js'

type Law = () => Promise<void>

/** A function like `test` of a runner, and what was given to it. */
function runner() {
  const run = new Map<string, Law>()
  const skipped = new Map<string, Law>()
  const plain = (name: string, law: Law) => void run.set(name, law)
  const skip = (name: string, law: Law) => void skipped.set(name, law)
  return { run, skipped, plain, withSkip: Object.assign(plain.bind(undefined), { skip }) }
}

function registered(
  options?: StoreSuiteOptions,
  makeStore: () => Store<never> = () => memoryStore() as never,
) {
  const { run, skipped, withSkip } = runner()
  storeSuite(withSkip, makeStore, options)
  return { run, skipped }
}

const all = [...registered().run.keys()]
const [first = '', second = ''] = all
const reason = 'the backend has no clock'

/** A store of which each instance counts how often it was closed. */
function counted(change: Partial<Store<never>> = {}) {
  const closed: number[] = []
  const makeStore = () => {
    const store = memoryStore()
    const place = closed.push(0) - 1
    const close = async () => {
      closed[place] = (closed[place] ?? 0) + 1
      await store.close()
    }
    return { ...store, ...change, close } as unknown as Store<never>
  }
  return { closed, makeStore }
}

describe('a suite', () => {
  it('skips the laws that skip names, and no other, with the reason in the name', () => {
    const { run, skipped } = registered({
      skip: [
        { reason, tests: [first] },
        { reason: 'slow', tests: [second] },
      ],
    })
    expect([...skipped.keys()]).toEqual([`${first} (skipped: ${reason})`, `${second} (skipped: slow)`])
    expect([...run.keys()]).toEqual(all.slice(2))
  })

  it('shows the reason for a runner that cannot skip, and does not run the law', async () => {
    const { run, plain } = runner()
    const makeStore = () => expect.unreachable('a skipped law needs no store')
    storeSuite(plain, makeStore, { skip: [{ reason, tests: [first] }] })
    const law = run.get(`${first} (skipped: ${reason})`)
    await expect(law?.()).resolves.toBeUndefined()
    expect([run.size, run.has(first)]).toEqual([all.length, false])
  })

  it('throws for a skip that names no law', () => {
    const skip = [{ reason, tests: [first, 'no such law'] }]
    expect(() => registered({ skip })).toThrow('there is no law “no such law” to skip')
    expect(() => registered({ skip: [{ reason, tests: ['toString'] }] })).toThrow('no law “toString”')
  })

  it('closes each store that a law has made once, also if the law fails', async () => {
    const kept = counted()
    await registered({}, kept.makeStore).run.get(first)?.()
    expect(kept.closed.length).toBeGreaterThan(0)
    expect(new Set(kept.closed)).toEqual(new Set([1]))
    const down = counted({ once: () => Promise.reject(new Error('down')) })
    await expect(registered({}, down.makeStore).run.get(first)?.()).rejects.toThrow('down')
    expect(new Set(down.closed)).toEqual(new Set([1]))
  })

  it('uses one store for a law if the instances share nothing', async () => {
    const { closed, makeStore } = counted({ isShared: false })
    const laws = [...registered({}, makeStore).run.values()]
    await Promise.all(laws.map((law) => law()))
    expect(closed).toEqual(laws.map(() => 1))
  })

  it('lets leases of one second expire, or of shortLeaseSeconds', async () => {
    const leases: number[] = []
    const makeLeases = (): LeaseStore => {
      const store = memoryLeases()
      return {
        ...store,
        claim(key, seconds, ...more) {
          leases.push(seconds)
          return store.claim(key, seconds, ...more)
        },
      }
    }
    const shortest = async (options: object) => {
      const { run, plain } = runner()
      leases.length = 0
      leaseSuite(plain, makeLeases, options)
      await Promise.all([...run.values()].map((law) => law().catch(() => {})))
      return Math.min(...leases)
    }
    expect([await shortest({}), await shortest({ shortLeaseSeconds: 0.3 })]).toEqual([1, 0.3])
  })
})

describe('the law of an outage', () => {
  const law = (makeUnreachable: () => Store<never>) => {
    const added = [...registered({ makeUnreachable }).run.entries()].filter(([name]) => !all.includes(name))
    expect(added).toHaveLength(1)
    return added[0]?.[1]()
  }

  it('holds for a store that rejects', async () => {
    await law(() => ({ ...memoryStore(), once: () => Promise.reject(new Error('down')) }) as never)
  })

  it('fails for a store that runs the work, also if it then rejects', async () => {
    await expect(law(() => memoryStore() as never)).rejects.toThrow()
    const late = {
      ...memoryStore(),
      async once(_event: unknown, work: () => Promise<unknown>) {
        await work()
        throw new Error('down')
      },
    }
    await expect(law(() => late as never)).rejects.toThrow()
  })
})

describe('the suite of a queue', () => {
  const lawsOf = (options?: object) => {
    const { run, plain } = runner()
    queueSuite(plain, () => expect.unreachable('no law is run'), options)
    return [...run.keys()]
  }

  it('has laws of crashes only if it can start a process', () => {
    const startVictim = () => expect.unreachable('no law is run')
    const crashes = lawsOf({ startVictim }).filter((name) => !lawsOf().includes(name))
    expect(crashes).toEqual(expect.arrayContaining([expect.stringContaining('killed')]))
    expect(lawsOf().length).toBeGreaterThan(crashes.length)
  })
})
