import { expect, it } from 'vitest'
import { stateActs } from '../../page/src/failures/state-acts.js'
import type { GroupDetail } from '../../src/wire.js'

const acts = (group: Partial<GroupDetail>) =>
  stateActs({
    group: 'payments:1',
    state: 'open',
    dead: 0,
    failed: 0,
    quarantined: 0,
    isCapped: false,
    ...group,
  } as GroupDetail)

it('offers only the acts that change the state', () => {
  const words = (state: GroupDetail['state']) => acts({ state }).map(({ word }) => word)
  expect(words('open')).toEqual(['Acknowledge', 'Resolve'])
  expect(words('acknowledged')).toEqual(['Resolve', 'Reopen'])
  expect(words('resolved')).toEqual(['Reopen'])
})

const fixed = 'Say that its cause is fixed. It opens again by itself with the next failure.'

it.each([
  [{ dead: 0 }, fixed],
  [{ dead: 1 }, `${fixed} Its dead event stays dead until somebody replays or discards it.`],
  [{ dead: 2000 }, `${fixed} Its 2,000 dead events stay dead until somebody replays or discards them.`],
  [
    { dead: 2000, isCapped: true },
    `${fixed} Its dead events stay dead until somebody replays or discards them.`,
  ],
  [
    { dead: 1, isCapped: true },
    `${fixed} Its dead events stay dead until somebody replays or discards them.`,
  ],
  [{ failed: 1 }, `${fixed} Its failed event keeps its next attempt.`],
  [
    { dead: 1, failed: 3000 },
    `${fixed} Its dead event stays dead until somebody replays or discards it. Its 3,000 failed events keep their next attempts.`,
  ],
  [{ failed: 3000, isCapped: true }, `${fixed} Its failed events keep their next attempts.`],
  [{ quarantined: 1 }, `${fixed} Its quarantined delivery stays in quarantine.`],
  [{ quarantined: 2 }, `${fixed} Its 2 quarantined deliveries stay in quarantine.`],
])('says what Resolve does not change: %j', (group, effect) => {
  expect(acts(group).find(({ word }) => word === 'Resolve')?.effect).toBe(effect)
})
