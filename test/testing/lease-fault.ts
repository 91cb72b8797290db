import type { LeaseStore } from '../../src/store/lease.js'
import { memoryLeases } from '../../src/stores/memory.js'
import { leaseSuite } from '../../src/testing/index.js'

/** Adds a fault to an instance over the backend. The first instance has the index 0. */
export type Fault = (leases: LeaseStore, index: number) => Partial<LeaseStore>

type Verb = 'claim' | 'extend' | 'complete' | 'release'

/** The verb answers `answer`, after the right answer. */
export function answers<V extends Verb>(
  verb: V,
  answer: (right: Awaited<ReturnType<LeaseStore[V]>>, ...args: Parameters<LeaseStore[V]>) => unknown,
): Fault {
  return (leases) => ({
    async [verb](...args: never[]) {
      const right = await (leases[verb] as (...args: never[]) => unknown)(...args)
      return answer(right as never, ...(args as unknown as Parameters<LeaseStore[V]>))
    },
  })
}

/** The verb says that it is done, and does nothing. */
export const onlySays =
  (verb: Verb): Fault =>
  () => ({ [verb]: async () => true })

/** The fault is only in the second instance, as in a store that remembers something in its process. */
export const elsewhere =
  (fault: Fault): Fault =>
  (leases, index) =>
    index === 1 ? fault(leases, index) : {}

/** The store confuses keys. */
export const confuses =
  (confuse: (key: string) => string): Fault =>
  (leases) => ({
    claim: (key, ...more) => leases.claim(confuse(key), ...more),
    extend: (key, ...more) => leases.extend(confuse(key), ...more),
    complete: (key, ...more) => leases.complete(confuse(key), ...more),
    release: (key, ...more) => leases.release(confuse(key), ...more),
  })

export const remaining = (change: (seconds: number) => number) =>
  answers('claim', (right) =>
    right.state === 'leased' ? { ...right, remainingSeconds: change(right.remainingSeconds) } : right,
  )

export const claimed = (change: object | ((attempt: number) => object)) =>
  answers('claim', (right) =>
    right.state === 'claimed'
      ? { ...right, ...(typeof change === 'function' ? change(right.attempt) : change) }
      : right,
  )

/** A lease that has expired is free for its holder too. */
export const forgetsHolder =
  (...verbs: Verb[]): Fault =>
  (leases) => {
    const until = new Map<string, number>()
    const guarded =
      (verb: Verb) =>
      async (key: string, token: string, ...more: never[]) =>
        performance.now() < (until.get(key) ?? 0) &&
        (leases[verb] as (...args: unknown[]) => Promise<boolean>)(key, token, ...more)
    return {
      async claim(key, seconds) {
        const right = await leases.claim(key, seconds)
        if (right.state === 'claimed') {
          until.set(key, performance.now() + seconds * 1000)
        }
        return right
      },
      ...Object.fromEntries(verbs.map((verb) => [verb, guarded(verb)])),
    }
  }

/** A token that does not hold the key ends the claim of its holder, although the answer is right. */
export const ends = (): Fault => {
  const tokens = new Map<string, string>()
  return (leases) => ({
    async claim(key, seconds) {
      const right = await leases.claim(key, seconds)
      if (right.state === 'claimed') {
        tokens.set(key, right.token)
      }
      return right
    },
    async release(key, token) {
      const isRight = await leases.release(key, token)
      if (!isRight) {
        await leases.release(key, tokens.get(key) ?? '')
      }
      return isRight
    },
  })
}

/** The length of the leases that a law lets expire, in seconds. */
export const shortLeaseSeconds = 0.2

/** Runs one law on instances with a fault over one backend. */
export async function runLaw(law: string, fault: Fault): Promise<unknown> {
  const registered = new Map<string, () => Promise<void>>()
  const leases = memoryLeases()
  let index = 0
  const make = (): LeaseStore => ({ ...leases, ...fault(leases, index++), close: async () => {} })
  leaseSuite((name, test) => void registered.set(name, test), make, { shortLeaseSeconds })
  return registered.get(law)?.()
}
