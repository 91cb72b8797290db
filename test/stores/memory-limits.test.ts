import { describe, expect, it } from 'vitest'
import type { Claim, LeaseStore } from '../../src/store/lease.js'
import { memoryLeases } from '../../src/stores/memory.js'

describe('the memory store', () => {
  it('evicts only the oldest event', async () => {
    for (const maxEvents of [1, 2, 3, 4095, 4096, 4097, 10_000]) {
      const leases = memoryLeases({ maxEvents })
      const total = 2 * maxEvents + 5000
      for (let n = 0; n < total; n++) {
        await completed(leases, n)
      }
      for (let n = total - 1; n >= total - maxEvents; n--) {
        const claim = await leases.claim(digestOf(n), 1)
        if (claim.state !== 'done' || claim.contentHash !== hashOf(n)) {
          expect.fail(`${n} of ${maxEvents}`)
        }
      }
      for (let n = Math.max(0, total - maxEvents - 5000); n < total - maxEvents; n++) {
        const claim = await leases.claim(digestOf(n), 1)
        if (claim.state !== 'claimed') {
          expect.fail(`${n} of ${maxEvents}`)
        }
        await leases.release(digestOf(n), claim.token)
      }
    }
  })

  it('knows every event while it grows', async () => {
    const leases = memoryLeases()
    for (let n = 0; n < 600; n++) {
      await completed(leases, n)
      for (let known = 0; known <= n; known += 7) {
        if ((await leases.claim(digestOf(known), 1)).state !== 'done') {
          expect.fail(`${known} of ${n}`)
        }
      }
    }
  })

  it('evicts nothing while the clock returns NaN', async () => {
    let time = 1000
    const leases = memoryLeases({ now: () => time })
    await completed(leases, 1)
    time = Number.NaN
    expect((await leases.claim(digestOf(1), 1)).state).toBe('done')
    time = 1e9
    expect((await leases.claim(digestOf(1), 1)).state).toBe('claimed')
  })

  it('does not expire a repeated key before its time', async () => {
    let time = 1000
    const leases = memoryLeases({ now: () => time })
    await completed(leases, 1)
    time += 3600
    const again = (await leases.claim(digestOf(1), 60)) as { token: string }
    time = 1000
    expect(await leases.complete(digestOf(1), again.token, 'again', 5)).toBe(true)
    expect(await leases.claim(digestOf(1), 60)).toEqual({ state: 'done', contentHash: 'again' })
    time += 5
    expect(await leases.claim(digestOf(1), 60)).toEqual({ state: 'done', contentHash: 'again' })
  })

  it('gives every claim a different token, in all stores', async () => {
    const [here, there] = [memoryLeases(), memoryLeases()]
    const claims = [await here.claim('a', 9), await there.claim('a', 9), await here.claim('b', 9)]
    expect(new Set(claims.map((claim) => (claim as { token: string }).token)).size).toBe(3)
  })
})

/** Different digests, made with the finalizer of MurmurHash3. */
function digestOf(n: number): string {
  let text = ''
  for (let i = 0; i < 8; i++) {
    let word = Math.imul(n * 8 + i, 0x9e3779b1)
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35)
    text += ((word ^ (word >>> 16)) >>> 0).toString(16).padStart(8, '0')
  }
  return text
}

const hashOf = (n: number) => digestOf(n + 1_000_000)

async function completed(leases: LeaseStore, n: number): Promise<void> {
  const claim = await leases.claim(digestOf(n), 60)
  if (claim.state !== 'claimed') {
    throw new Error(`${n} is ${claim.state}`)
  }
  await leases.complete(digestOf(n), claim.token, hashOf(n), 3600)
}

it('accepts many keys with the same ending', async () => {
  const leases = memoryLeases()
  const keys = Array.from({ length: 12_000 }, (_, n) => `${String(n).padStart(5, '0')}_eur`)
  for (const key of keys) {
    const claim = await leases.claim(key, 60)
    const { token } = claim as Extract<Claim, { state: 'claimed' }>
    expect(await leases.complete(key, token, 'hash', 60)).toBe(true)
  }
  expect(await leases.claim(keys[5] as string, 60)).toEqual({ state: 'done', contentHash: 'hash' })
})
