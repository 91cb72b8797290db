import { describe, expect, test } from 'vitest'
import { ConflictError } from '../../src/errors.js'
import type { Run } from '../../src/store/bulk-run.js'
import {
  discardChanged,
  eventChanged,
  groupChanged,
  pauseChanged,
  runChanged,
} from '../../src/store/changed.js'
import { aboutRun, auditOf, seenState } from '../../src/store/run-change.js'
import { isUnchanged } from '../../src/store/seen-changes.js'
import { isAsSeen } from '../../src/store/seen-event.js'
import { undoConflict } from '../../src/store/undo-conflict.js'

test.each([
  [eventChanged, 'event_changed', 'the event changed after it was looked at; look at it again'],
  [pauseChanged, 'pause_changed', 'it was resumed and paused again after it was looked at; look at it again'],
  [groupChanged, 'group_changed', 'the state of the group changed after it was looked at; look at it again'],
  [runChanged, 'run_changed', 'the run was changed after it was looked at; look at it again'],
  [
    discardChanged,
    'discard_changed',
    'it was restored and discarded again after it was looked at; look at it again',
  ],
])('a conflict says what changed and what to do: %o', (make, code, detail) => {
  const conflict = make()
  expect(conflict).toBeInstanceOf(ConflictError)
  expect(conflict).toMatchObject({ code, message: `${code}: ${detail}` })
})

describe('an undo', () => {
  const at = { endpoint: 'a' }
  const undoUntil = '2026-01-02T03:04:05Z'
  const ofKey = { ...at, key: 'k', seen: { kind: 'event', undoUntil } } as const
  const ofRun = { ...at, run: 'r', seen: { state: 'done', changes: 2 } } as const

  test('has no conflict if its caller saw what is there now', () => {
    expect(undoConflict(ofKey, undoUntil)).toBeUndefined()
    expect(undoConflict(ofRun, 2)).toBeUndefined()
  })

  test('of another discard, or of a run that was changed, has one', () => {
    expect(undoConflict(ofKey, '2026-01-02T03:04:06Z')?.code).toBe('discard_changed')
    expect(undoConflict(ofRun, 3)?.code).toBe('run_changed')
    expect(undoConflict({ ...ofRun, seen: { state: 'done', changes: 0 } }, 1)?.code).toBe('run_changed')
  })

  test('has none if its caller saw nothing, or nothing is found', () => {
    expect(undoConflict({ ...at, key: 'k' }, undoUntil)).toBeUndefined()
    expect(undoConflict({ ...at, run: 'r' }, 3)).toBeUndefined()
    expect([undoConflict(ofKey, undefined), undoConflict(ofRun, undefined)]).toEqual([undefined, undefined])
  })
})

test('a group or a run is as seen if its state and its number of changes are', () => {
  const seen = { state: 'open', changes: 1 }
  expect(isUnchanged(seen, { state: 'open', changes: 1n })).toBe(true)
  expect(isUnchanged(seen, { state: 'open', changes: 2 })).toBe(false)
  expect(isUnchanged(seen, { state: 'resolved', changes: 1 })).toBe(false)
})

test('an event is as seen if its state and its generation are', () => {
  const seen = { state: 'dead', generation: 1 } as const
  expect(isAsSeen(seen, { state: 'dead', generation: 1n })).toBe(true)
  expect(isAsSeen(seen, { state: 'dead', generation: 2 })).toBe(false)
  expect(isAsSeen(seen, { state: 'done', generation: 1 })).toBe(false)
})

test('a run must have the state that was seen only if it is resumed', () => {
  const seen = { state: 'stopped', changes: 0 } as const
  expect(seenState('running', seen)).toBe('stopped')
  expect(seenState('running', undefined)).toBeNull()
  expect([seenState('paused', seen), seenState('cancelled', seen)]).toEqual([null, null])
  expect(aboutRun({ id: 'r', endpoint: 'a' } as Run)).toStrictEqual({ run: 'r', endpoint: 'a' })
  expect(auditOf).toEqual({ running: 'resumeRun', paused: 'pauseRun', cancelled: 'cancelRun' })
})
