import { describe, expect, it } from 'vitest'
import type { LeaseStore } from '../../src/store/lease.js'
import { memoryLeases } from '../../src/stores/memory.js'
import { deliveryOf, fixture, knownTypes, leaseSuite, tamper } from '../../src/testing/index.js'

const delivery = await fixture('transfer.settled')
const circle: Record<string, unknown> = {}
circle.circle = circle

it.each<[string, string, () => unknown]>([
  ['a clock', 'now must be unix seconds, or a function', () => deliveryOf('', { now: Number.NaN })],
  ['data without JSON', 'data must be readable', () => fixture('any', { data: circle })],
  ['data', 'data must be an object', () => fixture('any', { data: 'text' as never })],
  ['an option', 'is not an option of fixture', () => fixture('any', { ids: 1 } as never)],
  ['a type', 'type and id must be strings', () => fixture(7 as never)],
  ['an id', 'type and id must be strings', () => fixture('any', { id: 7 as never })],
  ['headers', 'a delivery must have', async () => tamper.body({ ...delivery, headers: 'none' as never })],
  ['a name', 'the name of a header must be', async () => tamper.dropHeader(delivery, 7 as never)],
])('the message about %s that cannot be used names it', async (_, words, use) => {
  await expect((async () => use())()).rejects.toThrow(words)
})

describe('a fixture', () => {
  it('takes createdAt as a text', async () => {
    const { event } = await fixture('any', { createdAt: '2024-02-29T12:00:00Z' })
    expect(event.createdAt).toBe('2024-02-29T12:00:00.000Z')
  })

  it('has sample data that derives from the id of the event', async () => {
    const made = knownTypes.map(async (type) => [type, (await fixture(type, { id: 'evt_1' })).event.data])
    expect(Object.fromEntries(await Promise.all(made))).toEqual({
      'transfer.settled': {
        transferId: 'tr_1',
        status: 'settled',
        rail: 'mobile_money',
        ledgerState: 'matched',
      },
      'transfer.failed': {
        transferId: 'tr_1',
        status: 'failed',
        rail: 'mobile_money',
        failureCode: expect.any(String),
        failureReason: expect.any(String),
      },
      'ledger.matched': { transferId: 'tr_1', ledgerState: 'matched', journalEntryId: 'je_1' },
      'approval.updated': { approvalId: 'apr_1', transferId: 'tr_1', status: 'approved' },
    })
    const other = await fixture('transfer.settled', { representation: 'snake_case', id: 'my_evt_1' })
    expect(other.event.data).toMatchObject({ transferId: 'tr_my_evt_1' })
  })
})

// A store can cut a key off, compare it without its case, or take it for a number.
it.each<[string, (key: string) => string]>([
  ['cuts them off', (key) => key.slice(0, 2112)],
  ['ignores their case', (key) => key.toLowerCase()],
  ['takes them for numbers', (key) => (/^[\d.-]+$/.test(key) ? String(Number(key)) : key)],
])('the law of unusual keys fails for a store that %s', async (_, change) => {
  const laws = new Map<string, () => Promise<void>>()
  const leases = memoryLeases()
  const confused: LeaseStore = {
    ...leases,
    claim: (key, ...rest) => leases.claim(change(key), ...rest),
    extend: (key, ...rest) => leases.extend(change(key), ...rest),
    complete: (key, ...rest) => leases.complete(change(key), ...rest),
    release: (key, ...rest) => leases.release(change(key), ...rest),
  }
  leaseSuite(
    (name, law) => laws.set(name, law),
    () => confused,
  )
  await expect(laws.get('unusual keys are different keys')?.()).rejects.toThrow()
})
