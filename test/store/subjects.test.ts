import { expect, test } from 'vitest'
import { failedAgain, givenUpCause, groupId, isAlwaysKept, otherCause } from '../../src/store/failure-log.js'
import { isPausedBy, kindOf, subjectOf, targetOf } from '../../src/store/flow-store.js'

test.each([
  [{ endpoint: 'a' }, 'endpoint', '', {}],
  [{ endpoint: 'a', type: 't' }, 'type', 't', { subject: 'type t' }],
  [{ endpoint: 'a', type: '' }, 'type', '', { subject: 'type ' }],
  [{ endpoint: 'a', resource: 'r\0' }, 'resource', 'r\0', { subject: 'resource r\ufffd' }],
] as const)('what is paused is kept, read and named in audits: %j', (target, kind, name, subject) => {
  expect(kindOf(target)).toEqual({ kind, name })
  expect(targetOf('a', kind, name)).toStrictEqual(target)
  expect(subjectOf(target)).toEqual(subject)
})

test.each([
  [{}, true],
  [{ type: 't' }, true],
  [{ type: 'u' }, false],
  [{ resource: 'r' }, true],
  [{ resource: 's' }, false],
])('an event of type t and resource r is paused by %j: %j', (target, isPaused) => {
  expect(isPausedBy({ endpoint: 'a', ...target }, { type: 't', resource: 'r' })).toBe(isPaused)
})

test('a group belongs to one endpoint and one cause', () => {
  expect(groupId('a', { fingerprint: 'f' })).toBe('a:f')
  expect(groupId('b', { fingerprint: 'f' })).not.toBe(groupId('a', { fingerprint: 'f' }))
})

test('a code and the causes of this package always get a group of their own', () => {
  expect([otherCause, givenUpCause].map(isAlwaysKept)).toEqual([true, true])
  expect(isAlwaysKept({ fingerprint: 'handler_failed', title: '' })).toBe(true)
  expect(isAlwaysKept({ fingerprint: '0123456789abcdef01234567', title: '' })).toBe(false)
  expect(isAlwaysKept({ fingerprint: 'toString', title: '' })).toBe(false)
})

test('what stores keep of the causes and the audits of this package stays the same', () => {
  expect([otherCause, givenUpCause, failedAgain]).toEqual([
    { fingerprint: 'other', title: 'other causes' },
    { fingerprint: 'given_up', title: 'given up by an operator before a failure' },
    { reason: 'It failed again after it was resolved.', actor: 'the program' },
  ])
})
