import { describe, expect, test } from 'vitest'
import type { BulkStore } from '../../src/store/bulk-store.js'
import { checkedInbox } from '../../src/store/checked-inbox.js'
import type { FlowStore } from '../../src/store/flow-store.js'
import type { Inbox } from '../../src/store/inbox.js'
import { durations } from './scripted-leases.js'

/** An inbox with these methods alone. */
const checked = (inbox: Partial<Inbox>) => checkedInbox(inbox as Inbox)

test('an inbox has the methods that its store has, because an absent one states a missing capability', () => {
  const optional = ['flow', 'take', 'readQuarantined', 'statistics', 'failures', 'auditLog', 'bulk'] as const
  const bare = checked({})
  expect(optional.filter((name) => name in bare)).toEqual([])
  const take = async () => undefined
  const part = {} as never
  const whole = checked({
    take,
    readQuarantined: take,
    flow: part,
    statistics: part,
    failures: part,
    auditLog: part,
    bulk: part,
  })
  expect(optional.filter((name) => name in whole)).toEqual(optional)
})

describe('take', () => {
  const taken = {} as never
  const given: unknown[] = []
  const { take } = checked({
    async take(...args) {
      given.push(...args)
      return taken
    },
  })

  test('gets the event and its durations', async () => {
    const events = [{ key: 'k' }, { key: 'k', resource: 'r' }]
    for (const event of events) {
      expect(await take?.(event, durations)).toBe(taken)
    }
    expect(given).toEqual(events.flatMap((event) => [event, durations]))
  })

  test.each<[unknown, unknown, string]>([
    [null, durations, 'an event must be an object'],
    [{}, durations, 'key must be a string'],
    [{ key: 'k', resource: null }, durations, 'resource must be a string'],
    [{ key: 'k' }, undefined, 'leaseSeconds must be a number of seconds'],
    [{ key: 'k' }, { ...durations, waitSeconds: Number.NaN }, 'waitSeconds must be a number of seconds'],
  ])('rejects the event %j with the durations %j', async (event, forSeconds, detail) => {
    await expect(take?.(event as never, forSeconds as never)).rejects.toMatchObject({
      code: 'invalid_option',
      detail,
    })
  })
})

test('an inbox says whether a process can report, if its store can tell', async () => {
  const down = new Error('the lock is held')
  const of = (flow: Partial<FlowStore>) => checked({ flow: flow as FlowStore }).flow
  expect(of({})).not.toHaveProperty('checkReports')
  await expect(of({ checkReports: () => Promise.reject(down) })?.checkReports?.()).rejects.toBe(down)
})

test('an inbox has the largest step of its store, and none if its store has none', () => {
  const of = (bulk: Partial<BulkStore>) => checked({ bulk: bulk as BulkStore }).bulk
  expect(of({ largestStep: 2 })?.largestStep).toBe(2)
  expect(of({})).not.toHaveProperty('largestStep')
})
