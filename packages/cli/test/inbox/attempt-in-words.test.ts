import { expect, it } from 'vitest'
import type { FailedAttempt } from 'webhook-inbox'
import { inWords } from '../../src/inbox/attempt-in-words.js'

const at = '2026-01-02T03:04:05.000Z'
const error = 'Error: the ledger is closed'
const first: FailedAttempt = { generation: 0, attempt: 1, at, error }

it.each<[string, FailedAttempt, FailedAttempt | undefined]>([
  [`1  ${at}  ${error}`, first, undefined],
  [`1  ${at}  ${error}; next 2.5 s later`, { ...first, retryAt: '2026-01-02T03:04:07.500Z' }, undefined],
  [`1 of replay 2  ${at}  ${error}`, { ...first, generation: 2 }, first],
  [`before 1  ${at}  ${error}`, { ...first, attempt: 0 }, undefined],
  [`1  ${at}  ${error}; does not count`, { ...first, isUncounted: true }, undefined],
  [`2  ${at}  done`, { generation: 0, attempt: 2, at, isDone: true }, first],
  [`before 2  ${at}  ${error}`, first, first],
  ['2  left nothing: its process', { generation: 0, attempt: 2, lost: 1 }, first],
  ['2 to 4 of replay 1  left nothing: its process', { generation: 1, attempt: 4, lost: 3 }, first],
])('says: %s', (sentence, attempt, before) => {
  expect(inWords(attempt, before)).toContain(sentence)
})

it('says that an attempt was before the replays of the event', () => {
  expect(inWords(first, undefined, 1)).toBe(`1 of the first run  ${at}  ${error}`)
  expect(inWords({ ...first, generation: 1 }, first, 1)).toBe(`1 of replay 1  ${at}  ${error}`)
})
