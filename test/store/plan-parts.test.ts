import { describe, expect, test } from 'vitest'
import { plannedStates, selectedStates, statesFor } from '../../src/store/action-states.js'
import { conditionsFrom } from '../../src/store/bulk-plan.js'
import { capped } from '../../src/store/capped-count.js'
import { statesOf, typePrefix } from '../../src/store/event-filter.js'

describe('the states of a plan', () => {
  test('are the one that was asked for, and otherwise those of the action', () => {
    expect(plannedStates('replay', 'done')).toEqual(['done'])
    expect(plannedStates('replay', undefined)).toEqual(['dead'])
    expect(plannedStates('retryNow', undefined)).toEqual(['failed'])
    expect(plannedStates('discard', undefined)).toEqual(['dead'])
    expect(plannedStates('giveUp', undefined)).toEqual(['accepted', 'failed'])
  })

  test('may be done only for a replay', () => {
    const forDone = Object.entries(statesFor).filter(([, states]) => states.includes('done'))
    expect(forDone.map(([action]) => action)).toEqual(['replay'])
  })

  test('that can have a group are read, where a group is selected', () => {
    expect(selectedStates('giveUp', {})).toEqual(['accepted', 'failed'])
    expect(selectedStates('giveUp', { group: 'g' })).toEqual(['failed'])
    expect(selectedStates('replay', { group: 'g', state: 'done' })).toEqual([])
  })
})

test('the conditions of a plan are the same after they were kept as text', () => {
  for (const where of [
    {},
    { type: 'a.*' },
    { since: new Date(1000) },
    { until: new Date(2000), resource: 'r' },
  ]) {
    expect(conditionsFrom(JSON.stringify(where))).toStrictEqual(where)
  }
})

test('a count is capped only if one more than the limit was read', () => {
  expect(capped(3, 10, 10)).toEqual({ count: 3, isCapped: false })
  expect(capped(11, 11, 10)).toEqual({ count: 10, isCapped: true })
})

test('a condition is on one type, or on each that begins with it', () => {
  expect(typePrefix('transfer.settled')).toBeUndefined()
  expect(typePrefix('transfer.*')).toBe('transfer.')
  expect(typePrefix('.*')).toBe('.')
})

test('only failed and dead events have a group and an error to search', () => {
  expect(statesOf({})).toEqual(['accepted', 'failed', 'done', 'dead'])
  expect(statesOf({ group: 'g' })).toEqual(['failed', 'dead'])
  expect(statesOf({ text: 'x', state: 'dead' })).toEqual(['dead'])
  expect(statesOf({ text: 'x', state: 'done' })).toEqual([])
})
