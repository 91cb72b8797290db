import { expect, it } from 'vitest'
import { dueWords, heldBy, heldFor, retriedWords } from '../../page/src/due.js'
import { holdsOf } from '../../page/src/holds.js'

const circuit = { type: 'payout.returned', failures: 5, retryAt: '', isOnTrial: false }
const pauseOf = (target: object) => ({ at: '', actor: '', reason: '', ...target })
const byCircuit = 'held by the open circuit'

it.each([
  ['in 2 min', false, undefined, 'retry in 2 min'],
  ['in 2 min', false, byCircuit, `due in 2 min, ${byCircuit}`],
  ['2 min ago', true, undefined, 'was due 2 min ago'],
  ['now', true, undefined, 'due now'],
  ['now', false, undefined, 'retry now'],
  ['2 min ago', true, byCircuit, `was due 2 min ago, ${byCircuit}`],
])('says when an event is due: %s, %s, %s', (time, isPast, held, words) => {
  expect(dueWords(time, isPast, held)).toBe(words)
})

it.each([
  [{ circuits: [circuit], pauses: [] }, byCircuit],
  [{ circuits: [{ ...circuit, type: 'transfer.failed' }], pauses: [] }, undefined],
  [{ circuits: [], pauses: [pauseOf({})] }, 'held by a pause'],
  [{ circuits: [], pauses: [pauseOf({ type: 'payout.returned' })] }, 'held by a pause'],
  [{ circuits: [], pauses: [pauseOf({ type: 'transfer.failed' })] }, undefined],
  [{ circuits: [], pauses: [pauseOf({ resource: 'po_1' })] }, 'held by a pause'],
  [{ circuits: [], pauses: [pauseOf({ resource: 'po_2' })] }, undefined],
])('names what holds an event: %j', (holds, words) => {
  expect(heldBy({ type: 'payout.returned', resource: 'po_1' }, holds)).toBe(words)
})

it.each([
  [{}, true, true, false],
  [{ types: ['transfer.failed'] }, true, true, false],
  [{ types: ['transfer.*'] }, true, true, false],
  [{ types: ['transfer'] }, false, false, false],
  [{ types: ['payout.*', 'payout.returned'] }, false, false, false],
  [{ types: ['payout.*'], resource: 'tr_1' }, false, false, true],
  [{ resource: 'tr_2' }, true, true, false],
])('finds what holds some of the events of a filter: %j', (which, circuits, ofType, ofResource) => {
  const type = 'transfer.failed'
  const pauses = [pauseOf({ type }), pauseOf({ resource: 'tr_1' }), pauseOf({})]
  const found = holdsOf({ circuits: [{ ...circuit, type }], pauses }, which)
  expect(found.circuits.length === 1).toBe(circuits)
  expect(pauses.map((pause) => found.pauses.includes(pause))).toEqual([ofType, ofResource, true])
})

it('names it from the reason of the receiver', () => {
  expect(['circuit_open', 'paused', 'due', undefined].map(heldFor)).toEqual([
    byCircuit,
    'held by a pause',
    undefined,
    undefined,
  ])
})

it('does not say that held events are retried by themselves', () => {
  expect(retriedWords({ circuits: [], pauses: [] })).toBe('retried automatically')
  expect(retriedWords({ circuits: [circuit], pauses: [] })).toBe('retried unless held')
  expect(retriedWords({ circuits: [circuit], pauses: [] }, false)).toBe('not retried while no process runs')
  expect(retriedWords({ circuits: [], pauses: [pauseOf({ resource: 'po_1' })] })).toBe('retried unless held')
  expect(retriedWords({ circuits: [circuit], pauses: [pauseOf({})] })).toBe('held by a pause')
})
