import { describe, expect, it } from 'vitest'
import type { EventRef } from '../../src/store/event-ref.js'
import { leaseStore } from '../../src/store/lease.js'
import type { OnceOutcome, Store, WorkContext } from '../../src/store/store.js'
import { memoryLeases, memoryStore } from '../../src/stores/memory.js'
import { type StoreSuiteOptions, storeSuite } from '../../src/testing/index.js'
import {
  answers as answersLease,
  type Fault as LeaseFault,
  onlySays,
  shortLeaseSeconds,
} from './lease-fault.js'

/** Somebody who writes a store relies on the suite to find these faults, each with the law that forbids it. */

type Fault = (store: Store, index: number) => Partial<Store>
type Outcome = OnceOutcome<unknown>

const answers =
  (answer: (right: Outcome, event: EventRef) => object): Fault =>
  (store) => ({ once: async (event, work) => answer(await store.once(event, work), event) as never })

const insteadOf = (state: Outcome['state'], answer: object) =>
  answers((right) => (right.state === state ? answer : right))

const tells = (change: (context: WorkContext<undefined>) => object): Fault => {
  return (store) => ({
    once: (event, work) => store.once(event, (context) => work({ ...context, ...change(context) })),
  })
}

const changes =
  (change: (event: EventRef) => object): Fault =>
  (store) => ({ once: (event, work) => store.once({ ...event, ...change(event) }, work) })

const lasts = (change: (durations: EventRef['durations']) => object) =>
  changes(({ durations }) => ({ durations: { ...durations, ...change(durations) } }))

/** The fault is only in the second instance, as in a store that remembers something in its process. */
const elsewhere =
  (fault: Fault): Fault =>
  (store, index) =>
    index === 1 ? fault(store, index) : {}

const forgets: Fault = () => ({ once: memoryStore().once })

/** The store has forgotten the event when this many deliveries were made. */
const forgetsAfter = (deliveries: number): Fault => {
  let made = 0
  const { once } = memoryStore()
  return (store) => ({ once: (event, work) => (++made > deliveries ? once : store.once)(event, work) })
}

/** What the work throws goes through this. */
const rejects =
  (change: (error: unknown) => Promise<unknown>): Fault =>
  (store) => ({ once: (event, work) => store.once(event, work).catch(change) as never })

const confuses = (confuse: (key: string) => string) => changes(({ key }) => ({ key: confuse(key) }))

const leases =
  (fault: LeaseFault): Fault =>
  () =>
    leaseStore({ ...memoryLeases(), ...fault(memoryLeases(), 0) })

const lost = { state: 'lost' }
const busy = { state: 'busy', retryAfterSeconds: 1 }
const duplicate = { state: 'duplicate', contentHash: 'content' }
const done = { state: 'done', value: undefined, attempt: 1 }

const laws: Record<string, Record<string, Fault>> = {
  'the work of a new event runs, and its result is returned': {
    'its result is lost': insteadOf('done', done),
    'attempts count from 2': answers((right) => ({ ...right, attempt: 2 })),
    'the work is told another attempt': tells(() => ({ attempt: 0 })),
    'the work is cancelled': tells(() => ({ signal: AbortSignal.abort() })),
  },
  'one of a thousand concurrent deliveries runs': {
    'one runs in each process': elsewhere(forgets),
    'all are told that it ran': answers(() => done),
    'one loses its claim': insteadOf('done', lost),
    'it runs again later': forgetsAfter(1000),
  },
  'different events run concurrently': {
    'others are busy': (store) => {
      let isFirst = true
      const once: Store['once'] = (event, work) => {
        const answer = isFirst ? store.once(event, work) : busy
        isFirst = false
        return answer as never
      }
      return { once }
    },
    'the first one loses its claim': answers((right) =>
      right.state === 'done' && right.value === 'late' ? lost : right,
    ),
  },
  'a repeated event is a duplicate on every instance, with the content hash that is done': {
    'it runs again elsewhere': elsewhere(forgets),
    'it runs again after two deliveries': forgetsAfter(2),
    'the content hash of the new delivery': answers((right, { contentHash }) => ({ ...right, contentHash })),
  },
  'a running event is busy on every instance, and then a duplicate': {
    'it runs elsewhere': elsewhere(forgets),
    'it is a duplicate at once': insteadOf('busy', duplicate),
    'no time is left': insteadOf('busy', { state: 'busy', retryAfterSeconds: 0 }),
    'more than the lease is left': insteadOf('busy', { state: 'busy', retryAfterSeconds: 601 }),
    'it loses its claim': insteadOf('done', lost),
    'it runs again': forgetsAfter(3),
  },
  'a delivery that waits for a running event gets its result': {
    'it does not wait': lasts(() => ({ waitSeconds: 0 })),
    'the event loses its claim': insteadOf('done', lost),
  },
  'a delivery stops waiting for a running event after waitSeconds': {
    'it is told that the event is done': insteadOf('busy', duplicate),
  },
  'once rejects with the error of the work, and the event is free again': {
    'another error': rejects(async (error) => {
      throw new Error(String(error))
    }),
    'no error': rejects(async () => done),
    'the attempt is not counted': tells(() => ({ attempt: 1 })),
    'the result after the failures is lost': insteadOf('done', done),
  },
  'unusual keys are different keys': {
    'upper case': confuses((key) => key.toLowerCase()),
    'white space': confuses((key) => key.trim()),
    'a zero character': confuses((key) => key.replaceAll('\0', '')),
    'composed characters': confuses((key) => key.normalize('NFC')),
    'long keys': confuses((key) => key.slice(0, 2000)),
    'a wrong hash': insteadOf('duplicate', duplicate),
    'reserved names': rejects(async () => {
      throw new Error('this key is reserved')
    }),
  },
  'check describes what the store guarantees': Object.fromEntries(
    ['store', 'scope', 'processCrash', 'hostCrash', 'runs'].map((part) => [
      `${part} is blank`,
      (store: Store) => ({ check: async () => ({ ...(await store.check()), [part]: ' ' }) }),
    ]),
  ),
  'an event whose holder died is free when its lease expires, not earlier': {
    'it is free earlier': lasts(({ leaseSeconds }) => ({
      leaseSeconds: leaseSeconds / 2,
      workSeconds: leaseSeconds / 8,
    })),
    'another number of attempts than the work was told': answers((right) => ({ ...right, attempt: 1 })),
    'too many attempts': (store) => ({
      once: async (event, work) =>
        ({
          ...(await store.once(event, async () => work({ attempt: 3 } as never) as never)),
          attempt: 3,
        }) as never,
    }),
  },
  'a holder that lost its claim cannot mark the event done': {
    'it says so': insteadOf('lost', done),
    'the heir is told that it lost': insteadOf('done', lost),
  },
  'a holder that lost its claim and fails does not free the event': {
    'its error is lost': rejects(async () => lost),
    'the heir is told that it lost': insteadOf('done', lost),
  },
  'work that outlives its lease keeps the claim while it is within its budget': {
    'the lease is not extended': leases(onlySays('extend')),
    'the claim counts as lost': leases(answersLease('extend', () => false)),
  },
  'an event stays done after its lease expires': {
    'it is forgotten': lasts(({ leaseSeconds }) => ({ retentionSeconds: leaseSeconds })),
  },
  'prune deletes done events whose retention has passed, up to the limit': {
    'it deletes nothing': () => ({ prune: async () => 0 }),
    'it ignores the limit': (store) => ({ prune: (before) => store.prune(before, 100) }),
    'it ignores the date': (store) => ({ prune: (_, limit) => store.prune(new Date(), limit) }),
  },
  'prune keeps an event until its own retention has passed': {
    'it deletes it earlier': lasts(() => ({ retentionSeconds: 0.1 })),
    'it keeps it longer': lasts(() => ({ retentionSeconds: 3600 })),
  },
}

const expiry: Record<string, Record<string, Fault>> = {
  'prune deletes nothing, because the backend deletes expired events itself': {
    'it deletes events': (store) => ({ prune: (before) => store.prune(before, 100) }),
    'it says that it deleted events': () => ({ prune: async () => 1 }),
    'it forgets events that have not expired': forgetsAfter(2),
  },
}

/** Runs one law on instances with a fault over one backend. */
async function runLaw(law: string, fault: Fault, options: StoreSuiteOptions): Promise<unknown> {
  const registered = new Map<string, () => Promise<void>>()
  const { isShared: _, ...store } = memoryStore()
  let index = 0
  const make = (): Store => ({ ...store, ...fault(store, index++), close: async () => {} })
  storeSuite((name, test) => void registered.set(name, test), make, { shortLeaseSeconds, ...options })
  return registered.get(law)?.()
}

describe.each([...Object.entries(laws), ...Object.entries(expiry)])('the law that %s', (law, faults) => {
  const prunes = !(law in expiry)

  it.runIf(prunes)('holds for a store without a fault', async () => {
    await expect(runLaw(law, () => ({}), { prunes })).resolves.toBeUndefined()
  })

  it.each(Object.entries(faults))('finds this fault: %s', async (_, fault) => {
    await expect(runLaw(law, fault, { prunes })).rejects.toMatchObject({ code: 'ERR_ASSERTION' })
  })
})

it('has a fault for each law of stores', () => {
  const names: string[] = []
  storeSuite((name) => void names.push(name), memoryStore)
  expect(names.sort()).toEqual(Object.keys(laws).sort())
})
