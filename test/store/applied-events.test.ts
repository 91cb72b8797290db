import { expect, test } from 'vitest'
import { becameSql, countsOf, stateSql } from '../../src/store/applied-events.js'
import { readTypes } from '../../src/store/failure-log.js'
import { ask, open } from '../stores/sqlite-rig.js'

const database = open(':memory:')

/** SQL for a row with these values, where null is NULL. */
const row = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values)
    .map(([name, value]) => `${typeof value === 'string' ? `'${value}'` : value} AS ${name}`)
    .join(', ')

test.each([
  ['accepted', 0, 0, 'accepted'],
  ['failed', 5, 5, 'accepted'],
  ['failed', 9, 5, 'failed'],
  ['dead', 5, 5, 'dead'],
  ['done', null, null, 'done'],
])(
  'an event that is %s, due at %o and scheduled at %o counts as %s',
  (state, due_at, scheduled_at, expected) => {
    const values = row({ state, due_at, scheduled_at })
    expect(ask(database, `SELECT ${stateSql('e')} FROM (SELECT ${values}) AS e`)).toBe(expected)
  },
)

test.each([
  ['was given up before it ran', 'accepted', 'giveUp', 'givenUp'],
  ['was given up after a failure', 'failed', 'giveUp', 'failed'],
  ['was replayed since', 'done', 'replay', 'done'],
  ['was discarded since, as an earlier version notes it', null, 'discard', 'dead'],
  ['was replayed since, as an earlier version notes it', null, 'replay', 'now'],
  ['runs since it was made due', 'accepted', 'retryNow', 'now'],
  ['did not change since', null, null, 'now'],
])('what became of an event that %s', (_, was, action, expected) => {
  const since = `(SELECT ${row({ was, action })}) AS since`
  expect(ask(database, `SELECT ${becameSql("'now'")} FROM ${since}`)).toBe(expected)
})

test('the events of a run are counted by what became of them', () => {
  const none = { accepted: 0, failed: 0, done: 0, dead: 0, givenUp: 0, gone: 0, changedSince: 0 }
  expect(countsOf([])).toEqual(none)
  expect(
    countsOf([
      { state: 'done', count: 3, since: 1 },
      // A driver may return a bigint or a text.
      { state: 'gone', count: 2n as never, since: '2' as never },
    ]),
  ).toEqual({ ...none, done: 3, gone: 2, changedSince: 3 })
})

test('a group whose types are broken in the store has none, so that the other groups are still listed', () => {
  expect(readTypes('["a","b"]')).toEqual(['a', 'b'])
  expect(readTypes('["a",')).toEqual([])
})
