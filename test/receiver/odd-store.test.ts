import { expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { leaseStore } from '../../src/store/lease.js'
import { scriptedLeases } from '../store/scripted-leases.js'
import { clock, delivery, secret } from './deliver.js'
import { scriptedStore } from './scripted-store.js'

const receive = async (store: ReturnType<typeof scriptedStore> | ReturnType<typeof leaseStore>) => {
  const runs: string[] = []
  const receiver = createReceiver({
    secret,
    now: clock,
    logger: false,
    store,
    fallback: (event) => void runs.push(event.id),
  })
  return { ...(await receiver.receive(await delivery())), runs }
}

it.each([
  ['done'],
  [1],
  [{}],
  [{ state: 'constructor' }],
  [{ state: 'duplicate' }],
  [{ state: 'zzz', contentHash: 'x' }],
])('a store that resolves to %j is unavailable: the sender tries again', async (answer) => {
  const store = scriptedStore({ once: async () => answer as never })
  expect(await receive(store)).toMatchObject({ status: 503, code: 'store_unavailable' })
})

it('a lease store with an unknown claim does not run the handler', async () => {
  const store = leaseStore(scriptedLeases({ claim: async () => ({ state: 'zzz' }) as never }))
  expect(await receive(store)).toMatchObject({ status: 503, code: 'store_unavailable', runs: [] })
})

it("a lease store that completes with 'false' has not completed", async () => {
  const store = leaseStore(scriptedLeases({ complete: async () => 'false' as never }))
  expect(await receive(store)).toMatchObject({ status: 503, code: 'in_progress' })
})

it.each([
  [Number.NaN, '1'],
  [Number.POSITIVE_INFINITY, '86400'],
  [1e300, '86400'],
  ['a\r\nb', '1'],
])('a store that is busy for %j seconds gets a valid Retry-After', async (retryAfterSeconds, header) => {
  const store = scriptedStore({ once: async () => ({ state: 'busy', retryAfterSeconds }) as never })
  expect((await receive(store)).headers).toMatchObject({ 'retry-after': header })
})
