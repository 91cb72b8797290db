import assert from 'node:assert/strict'
import type { Claim, LeaseStore } from '../store/lease.js'
import {
  bareKeys,
  eventually,
  freshKey,
  type Laws,
  oddKeys,
  pause,
  registerLaws,
  type SuiteOptions,
  type TestFunction,
} from './laws.js'
import { lawsOfPrune, ofLeases, type PruneOptions } from './store-suite/prune-laws.js'

export interface LeaseSuiteOptions extends SuiteOptions, PruneOptions {}

/**
 * Registers a test for every rule of the `LeaseStore` interface. A test calls `makeLeases` one or more times and closes
 * the results. Each call must return another instance on the same backend.
 *
 * @example
 * leaseSuite(test, () => myLeases)
 */
export function leaseSuite(
  test: TestFunction,
  makeLeases: () => LeaseStore | Promise<LeaseStore>,
  { prunes = true, ...options }: LeaseSuiteOptions = {},
): void {
  registerLaws(test, { ...laws, ...ofLeases(lawsOfPrune({ prunes })) }, makeLeases, options)
}

type Held = Extract<Claim, { state: 'claimed' }>

const long = 600
const retention = 3600

async function claim(leases: LeaseStore, key: string, seconds = long): Promise<Held> {
  const found = await leases.claim(key, seconds)
  assert.equal(found.state, 'claimed')
  return found as Held
}

/** Claims a key for a holder that dies, and again when its lease has expired. */
async function takeOver(first: LeaseStore, second: LeaseStore, key: string, leaseSeconds: number) {
  const dead = await claim(first, key, leaseSeconds)
  assert.equal((await second.claim(key, long)).state, 'leased')
  const heir = await eventually(async () => {
    const found = await second.claim(key, long)
    return found.state === 'claimed' ? found : undefined
  })
  return { dead, heir }
}

async function assertPowerless(leases: LeaseStore, key: string, token: string, why: string) {
  assert.equal(await leases.extend(key, token, long), false, `extend: ${why}`)
  assert.equal(await leases.release(key, token), false, `release: ${why}`)
  assert.equal(await leases.complete(key, token, 'a hash of nobody', retention), false, `complete: ${why}`)
}

const laws: Laws<LeaseStore> = {
  async 'a free key is claimed with attempt 1'({ make }) {
    const { token, attempt } = await claim(await make(), freshKey())
    assert.equal(attempt, 1)
    assert.ok(token.length > 0)
  },

  async 'a claimed key is leased to others for the rest of the lease'({ make }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    await claim(here, key, 100)
    for (const leases of [here, there]) {
      const found = await leases.claim(key, 5)
      assert.ok(found.state === 'leased')
      assert.ok(found.remainingSeconds > 50 && found.remainingSeconds <= 100, `${found.remainingSeconds}`)
    }
  },

  async 'a thousand concurrent claims have one winner'({ make }) {
    const instances = [await make(), await make(), await make(), await make()]
    const key = freshKey()
    const claims = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => (instances[i % 4] as LeaseStore).claim(key, long)),
    )
    const count = (state: Claim['state']) => claims.filter((each) => each.state === state).length
    assert.deepEqual([count('claimed'), count('leased')], [1, 999])
  },

  async 'a thousand keys are claimed concurrently, each with its own token'({ make }) {
    const leases = await make()
    const claims = await Promise.all(Array.from({ length: 1000 }, () => claim(leases, freshKey())))
    assert.equal(new Set(claims.map(({ token }) => token)).size, 1000)
  },

  async 'an expired lease goes to the next claim, with a new token and a greater attempt'({
    make,
    shortLeaseSeconds,
  }) {
    const { dead, heir } = await takeOver(await make(), await make(), freshKey(), shortLeaseSeconds)
    assert.equal(heir.attempt, 2)
    assert.notEqual(heir.token, dead.token)
  },

  async 'a fenced token can neither extend, complete nor release'({ make, shortLeaseSeconds }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const { dead, heir } = await takeOver(here, there, key, shortLeaseSeconds)
    await assertPowerless(here, key, dead.token, 'its lease has passed on')
    assert.equal((await here.claim(key, long)).state, 'leased', 'the heir still holds it')
    assert.equal(await there.complete(key, heir.token, 'hash', retention), true)
    await assertPowerless(here, key, dead.token, 'its heir has completed it')
    assert.deepEqual(await here.claim(key, long), { state: 'done', contentHash: 'hash' })
  },

  async 'an expired lease belongs to its holder until another claims it'({ make, shortLeaseSeconds }) {
    const leases = await make()
    const [extended, completed, released] = [freshKey(), freshKey(), freshKey()]
    const tokens = await Promise.all(
      [extended, completed, released].map(async (key) => (await claim(leases, key, shortLeaseSeconds)).token),
    )
    await pause(shortLeaseSeconds * 1.5)
    assert.equal(await leases.extend(extended, tokens[0] as string, long), true)
    assert.equal((await leases.claim(extended, long)).state, 'leased')
    assert.equal(await leases.complete(completed, tokens[1] as string, 'hash', retention), true)
    assert.equal((await leases.claim(completed, long)).state, 'done')
    assert.equal(await leases.release(released, tokens[2] as string), true)
    assert.equal((await claim(leases, released)).attempt, 2)
  },

  async 'extend prolongs a lease'({ make, shortLeaseSeconds }) {
    const leases = await make()
    const key = freshKey()
    const { token } = await claim(leases, key, shortLeaseSeconds)
    assert.equal(await leases.extend(key, token, 100), true)
    const found = await leases.claim(key, long)
    assert.ok(found.state === 'leased' && found.remainingSeconds > 50 && found.remainingSeconds <= 100)
    await pause(shortLeaseSeconds * 1.5)
    assert.equal((await leases.claim(key, long)).state, 'leased')
  },

  async 'release frees a key, and the attempt count continues'({ make }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    for (const [attempt, leases] of [here, there, here].entries()) {
      const held = await claim(leases, key)
      assert.equal(held.attempt, attempt + 1)
      assert.equal(await leases.release(key, held.token), true)
      await assertPowerless(leases, key, held.token, 'it was released')
    }
    assert.equal((await claim(there, key)).attempt, 4)
  },

  async 'a released token does not affect the next holder'({ make }) {
    const leases = await make()
    const key = freshKey()
    const first = await claim(leases, key)
    await leases.release(key, first.token)
    const second = await claim(leases, key)
    await assertPowerless(leases, key, first.token, 'it was released, and the key claimed anew')
    assert.equal(await leases.complete(key, second.token, 'hash', retention), true)
  },

  async 'a done key stays done'({ make, shortLeaseSeconds }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const { token } = await claim(here, key, shortLeaseSeconds)
    assert.equal(await here.complete(key, token, 'hash', retention), true)
    assert.equal(await here.release(key, token), false)
    assert.equal(await here.extend(key, token, long), false)
    await assertPowerless(there, key, `2:${crypto.randomUUID()}`, 'it is nobody’s token')
    await pause(shortLeaseSeconds * 1.5)
    for (const leases of [here, there]) {
      assert.deepEqual(await leases.claim(key, long), { state: 'done', contentHash: 'hash' })
    }
  },

  async 'a repeated complete with the same token returns true and changes nothing'({ make }) {
    const [here, there] = [await make(), await make()]
    const key = freshKey()
    const { token } = await claim(here, key)
    assert.equal(await here.complete(key, token, 'hash', retention), true)
    assert.equal(await here.complete(key, token, 'hash', retention), true)
    assert.equal(await there.complete(key, token, 'another hash', retention), true)
    assert.deepEqual(await here.claim(key, long), { state: 'done', contentHash: 'hash' })
  },

  async 'an unknown token changes no key'({ make }) {
    const leases = await make()
    const [unseen, held, released] = [freshKey(), freshKey(), freshKey()]
    const { token } = await claim(leases, held)
    await leases.release(released, (await claim(leases, released)).token)
    const strange = ['', ':', '0', '1:', `1:${crypto.randomUUID()}`, 'undefined', 'null', '__proto__', '\0']
    for (const key of [unseen, held, released]) {
      for (const each of strange) {
        await assertPowerless(leases, key, each, JSON.stringify(each))
      }
    }
    await assertPowerless(leases, unseen, token, 'it is the token of another key')
    assert.equal((await claim(leases, unseen)).attempt, 1)
    assert.equal((await claim(leases, released)).attempt, 2)
    assert.equal(await leases.complete(held, token, 'hash', retention), true)
  },

  async 'unusual keys are different keys'({ make }) {
    const leases = await make()
    for (const key of oddKeys()) {
      const { token, attempt } = await claim(leases, key)
      assert.equal(attempt, 1, JSON.stringify(key))
      assert.equal(await leases.complete(key, token, key, retention), true)
      assert.deepEqual(await leases.claim(key, long), { state: 'done', contentHash: key })
    }
    for (const key of bareKeys) {
      const { token } = await claim(leases, key)
      assert.equal((await leases.claim(key, long)).state, 'leased', JSON.stringify(key))
      assert.equal(await leases.release(key, token), true)
    }
  },
}
