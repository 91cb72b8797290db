import { describe, expect, it } from 'vitest'
import type { LeaseStore } from '../../src/store/lease.js'
import { memoryLeases } from '../../src/stores/memory.js'
import { leaseSuite } from '../../src/testing/index.js'
import { pause } from '../../src/testing/laws.js'
import {
  answers,
  claimed,
  confuses,
  elsewhere,
  ends,
  type Fault,
  forgetsHolder,
  onlySays,
  remaining,
  runLaw,
  shortLeaseSeconds,
} from './lease-fault.js'

/** Somebody who writes a store relies on the suite to find these faults, each with the law that forbids it. */

const laws: Record<string, Record<string, Fault>> = {
  'a free key is claimed with attempt 1': {
    'attempts count from 0': claimed((attempt) => ({ attempt: attempt - 1 })),
    'an empty token': claimed({ token: '' }),
    'a free key is leased': answers('claim', () => ({ state: 'leased', remainingSeconds: 1 })),
  },
  'a claimed key is leased to others for the rest of the lease': {
    'half of the lease': remaining((seconds) => seconds / 2),
    'longer than the lease': remaining((seconds) => seconds + 1),
    'the length of the claim that came too late': answers('claim', (right, _key, seconds) =>
      right.state === 'leased' ? { ...right, remainingSeconds: seconds } : right,
    ),
    'no lease for another instance': elsewhere(
      answers('claim', () => ({ state: 'claimed', token: 'mine', attempt: 1 })),
    ),
  },
  'a thousand concurrent claims have one winner': {
    'two winners': (leases, index) => {
      const { claim } = index === 1 ? memoryLeases() : leases
      return { claim }
    },
    'no lease for the others': answers('claim', (right) =>
      right.state === 'leased' ? { state: 'blocked' } : right,
    ),
  },
  'a thousand keys are claimed concurrently, each with its own token': {
    'one token for all': claimed({ token: 'same' }),
  },
  'an expired lease goes to the next claim, with a new token and a greater attempt': {
    'the same token': claimed({ token: 'same' }),
    'the same attempt': claimed({ attempt: 1 }),
    'the next claim does not wait': answers('claim', (right) =>
      right.state === 'leased' ? { state: 'claimed', token: 'a', attempt: 2 } : right,
    ),
  },
  'a fenced token can neither extend, complete nor release': {
    'it extends': answers('extend', () => true),
    'it completes': answers('complete', () => true),
    'it releases': answers('release', () => true),
    'it releases, and says no': ends(),
    'the heir cannot complete': answers('complete', () => false),
    'its hash is kept': answers('claim', (right) =>
      right.state === 'done' ? { ...right, contentHash: 'a hash of nobody' } : right,
    ),
  },
  'an expired lease belongs to its holder until another claims it': {
    'it cannot extend': forgetsHolder('extend'),
    'it cannot complete': forgetsHolder('complete'),
    'it cannot release': forgetsHolder('release'),
    'it extends nothing': onlySays('extend'),
    'it completes nothing': onlySays('complete'),
    'it releases, and the count begins again': claimed({ attempt: 1 }),
  },
  'extend prolongs a lease': {
    'it says no': answers('extend', () => false),
    'it does nothing': onlySays('extend'),
    'by less': (leases) => ({ extend: (key, token) => leases.extend(key, token, 50) }),
    'by more': (leases) => ({ extend: (key, token) => leases.extend(key, token, 101) }),
    'for a moment': (leases) => {
      let extendedAt = Number.POSITIVE_INFINITY
      return {
        async claim(key, seconds) {
          const right = await leases.claim(key, seconds)
          return performance.now() - extendedAt > 100 ? { state: 'claimed', token: 'a', attempt: 2 } : right
        },
        extend(...args) {
          extendedAt = performance.now()
          return leases.extend(...args)
        },
      }
    },
  },
  'release frees a key, and the attempt count continues': {
    'it says no': answers('release', () => false),
    'it does nothing': onlySays('release'),
    'the count begins again': claimed({ attempt: 1 }),
    'the count begins again elsewhere': elsewhere(claimed({ attempt: 1 })),
    'a released token completes': answers('complete', () => true),
    'a released token extends': answers('extend', () => true),
  },
  'a released token does not affect the next holder': {
    'it releases the next claim': answers('release', () => true),
    'it completes the next claim': answers('complete', () => true),
    'the next holder cannot complete': answers('complete', () => false),
  },
  'a done key stays done': {
    'it says no': answers('complete', () => false),
    'it does nothing': onlySays('complete'),
    'it can be released': answers('release', () => true),
    'it can be extended': answers('extend', () => true),
    'any token of this form completes it again': answers('complete', () => true),
    'its hash is lost': answers('claim', (right) => (right.state === 'done' ? { state: 'done' } : right)),
    'it is free when its lease ends': (leases) => {
      const startedAt = performance.now()
      return {
        async claim(key, seconds) {
          await pause(0)
          return performance.now() - startedAt > 1.4 * shortLeaseSeconds * 1000
            ? { state: 'claimed', token: 'a', attempt: 2 }
            : leases.claim(key, seconds)
        },
      }
    },
    'it is done for one instance': elsewhere(
      answers('claim', () => ({ state: 'claimed', token: 'a', attempt: 1 })),
    ),
  },
  'a repeated complete with the same token returns true and changes nothing': {
    'it says no': (leases) => {
      let calls = 0
      return { complete: async (...args) => (await leases.complete(...args)) && ++calls === 1 }
    },
    'it says no elsewhere': elsewhere(answers('complete', () => false)),
    'another hash': answers('claim', (right) =>
      right.state === 'done' ? { ...right, contentHash: 'another hash' } : right,
    ),
  },
  'an unknown token changes no key': {
    'it extends': answers('extend', () => true),
    'it releases': answers('release', () => true),
    'it completes': answers('complete', () => true),
    'an empty token is one': answers('extend', (right, _key, token) => right || token === ''),
    'it frees a held key': ends(),
    'the holder cannot complete': answers('complete', () => false),
    'it counts as an attempt': (leases) => {
      let misses = 0
      return {
        claim: claimed((attempt) => ({ attempt: attempt + misses }))(leases, 0).claim as LeaseStore['claim'],
        async extend(...args) {
          const isHeld = await leases.extend(...args)
          misses += isHeld ? 0 : 1
          return isHeld
        },
      }
    },
  },
  'unusual keys are different keys': {
    'upper case': confuses((key) => key.toLowerCase()),
    'white space at the end': confuses((key) => key.trimEnd()),
    'white space at the beginning': confuses((key) => key.trimStart()),
    'a zero character': confuses((key) => key.replaceAll('\0', '')),
    'composed characters': confuses((key) => key.normalize('NFC')),
    accents: confuses((key) => key.normalize('NFD').replaceAll(/\p{M}/gu, '')),
    'characters outside ASCII': confuses((key) =>
      Buffer.from(key, 'ascii')
        .toString('ascii')
        .replaceAll(/[^ -~]/g, '?'),
    ),
    numbers: confuses((key) => (/^[-\d.]+$/.test(key) ? String(BigInt(key.replace('.0', ''))) : key)),
    'long keys': confuses((key) => key.slice(0, 2000)),
    'a backslash': confuses((key) => key.replaceAll('\\', '')),
    'a colon': confuses((key) => key.replaceAll('::', ':')),
    'an empty hash': answers('claim', (right) =>
      right.state === 'done' ? { ...right, contentHash: '' } : right,
    ),
    'a short key that is never leased': answers('claim', (right, key) =>
      right.state === 'leased' && key.length < 32 ? { state: 'claimed', token: 'a', attempt: 1 } : right,
    ),
    'a short key that is never released': answers('release', () => false),
  },
}

describe.each(Object.entries(laws))('the law that %s', (law, faults) => {
  it('holds for a store without a fault', async () => {
    await expect(runLaw(law, () => ({}))).resolves.toBeUndefined()
  })

  it.each(Object.entries(faults))('finds this fault: %s', async (_, fault) => {
    await expect(runLaw(law, fault)).rejects.toThrow(expect.objectContaining({ code: 'ERR_ASSERTION' }))
  })
})

it('has a fault for each law of leases', () => {
  const names: string[] = []
  leaseSuite((name) => void names.push(name), memoryLeases, { prunes: false })
  expect(names.filter((name) => !name.startsWith('prune'))).toEqual(Object.keys(laws))
})
