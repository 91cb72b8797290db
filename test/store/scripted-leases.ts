import type { Durations, EventRef } from '../../src/index.js'
import type { Claim, LeaseStore } from '../../src/store/lease.js'

export const durations: Durations = {
  leaseSeconds: 60,
  retentionSeconds: 7_776_000,
  workSeconds: 10,
  waitSeconds: 2,
}

export const eventRef = (over: Partial<EventRef> = {}): EventRef => ({
  key: 'key 1',
  contentHash: 'hash 1',
  durations,
  endpoint: 'default',
  id: 'evt_1',
  type: 'x',
  createdAt: '2026-01-02T03:04:05Z',
  body: new Uint8Array(),
  ...over,
})

/** A lease store with the given answers, which records its calls. */
export interface ScriptedLeases extends LeaseStore {
  readonly calls: string[]
}

export const claimed: Claim = { state: 'claimed', token: 'token 1', attempt: 1 }

export function scriptedLeases(script: Partial<LeaseStore> = {}): ScriptedLeases {
  const calls: string[] = []
  const answers: LeaseStore = {
    claim: async () => claimed,
    extend: async () => true,
    complete: async () => true,
    release: async () => true,
    check: async () => ({ store: 's', scope: 's', processCrash: 'yes', hostCrash: 'yes', runs: 'once' }),
    prune: async () => 0,
    close: async () => {},
    ...script,
  }
  const noted = <Args extends unknown[], Result>(name: string, answer: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      // Other arguments, such as the event and the error, do not affect a claim.
      const shown = args
        .map((arg) => (arg instanceof Date ? arg.toISOString() : arg))
        .filter((arg) => typeof arg !== 'object' && arg !== undefined)
      calls.push([name, ...shown].join(' '))
      return answer(...args)
    }
  }
  return {
    calls,
    claim: noted('claim', answers.claim),
    extend: noted('extend', answers.extend),
    complete: noted('complete', answers.complete),
    release: noted('release', answers.release),
    check: noted('check', answers.check),
    prune: noted('prune', answers.prune),
    close: noted('close', answers.close),
  }
}

/** A promise that the test settles. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
