import { expect, test } from 'vitest'
import type { BulkAction } from '../../src/store/bulk-plan.js'
import type { InboxState } from '../../src/store/inbox.js'
import { type FoundEvent, type RunItem, StepJudge } from '../../src/store/step-judge.js'

const dead: FoundEvent = {
  state: 'dead',
  generation: 1,
  isRunning: false,
  isDue: false,
  hasOtherVersion: false,
}
const item = (found: Partial<FoundEvent> = {}, root: string | null = null): RunItem => ({
  planned: 1,
  root,
  found: { ...dead, ...found },
})
const judge = (action: BulkAction = 'replay', skipsFirst = false, states: InboxState[] = ['dead']) =>
  new StepJudge(action, states, skipsFirst)

test('an event as the plan found it is changed', () => {
  for (const action of ['replay', 'discard', 'retryNow', 'giveUp'] as const) {
    expect(judge(action).reasonToSkip(item())).toBeUndefined()
  }
})

test.each<[string, RunItem]>([
  ['is_gone', { planned: 1, root: null, found: undefined }],
  ['already_replayed', item({ generation: 2, isRunning: true })],
  ['is_running', item({ isRunning: true, state: 'done' })],
  ['changed_state', item({ state: 'done', hasOtherVersion: true })],
  ['has_other_version', item({ hasOtherVersion: true })],
])('an event is skipped because it %s', (reason, found) => {
  expect(judge().reasonToSkip(found)).toBe(reason)
})

test('only the first event is skipped because the queue rejected it', () => {
  const one = judge('replay', true)
  expect([item(), item(), item()].map((each) => one.reasonToSkip(each))).toEqual([
    'failed',
    undefined,
    undefined,
  ])
})

test('one of several versions is replayed in a step, and another version does not stop other actions', () => {
  const versions = [item({}, 'r'), item({}, 'r'), item({}, 'other'), item()]
  const reasonsOf = (one: StepJudge) => versions.map((each) => one.reasonToSkip(each))
  expect(reasonsOf(judge())).toEqual([undefined, 'has_other_version', undefined, undefined])
  expect(reasonsOf(judge('discard'))).toEqual([undefined, undefined, undefined, undefined])
  expect(judge('discard').reasonToSkip(item({ hasOtherVersion: true }))).toBeUndefined()
})

test('a version that was skipped does not stop the next one', () => {
  const one = judge('replay', true)
  expect(
    [item({}, 'r'), item({ isRunning: true }, 'r'), item({}, 'r')].map((each) => one.reasonToSkip(each)),
  ).toEqual(['failed', 'is_running', undefined])
})

test('a retry leaves an event that is due', () => {
  const failed = { state: 'failed', isDue: true } as const
  expect(judge('retryNow', false, ['failed']).reasonToSkip(item(failed))).toBe('is_due')
  expect(judge('retryNow', false, ['failed']).reasonToSkip(item({ ...failed, isDue: false }))).toBeUndefined()
  expect(judge('giveUp', false, ['accepted', 'failed']).reasonToSkip(item(failed))).toBeUndefined()
})
