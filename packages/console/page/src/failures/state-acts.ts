import { pathPart } from '../../../src/path-part.js'
import type { ConsoleAction, GroupDetail } from '../../../src/wire.js'
import { digits } from '../digits.js'

interface StateAct extends Readonly<Record<'path' | 'word' | 'button' | 'effect' | 'done', string>> {
  readonly action: ConsoleAction
  readonly body: object
}

/** The acts that change the state of a cause, and none of its events. */
export function stateActs(group: GroupDetail): StateAct[] {
  const path = `groups/${pathPart(group.group)}`
  const { state, changes } = group
  const all = { body: { seen: { state, changes } }, action: 'groups:write' } as const
  const acknowledge: StateAct = {
    ...all,
    path: `${path}/acknowledge`,
    word: 'Acknowledge',
    button: 'Acknowledge it',
    effect: 'It is removed from the open causes. Its events do not change.',
    done: 'It is acknowledged.',
  }
  const resolve: StateAct = {
    ...all,
    path: `${path}/resolve`,
    word: 'Resolve',
    button: 'Mark it as resolved',
    effect: `Say that its cause is fixed. It opens again by itself with the next failure.${whatStays(group)}`,
    done: 'It is resolved.',
  }
  const reopen: StateAct = {
    ...all,
    path: `${path}/reopen`,
    word: 'Reopen',
    button: 'Open it again',
    effect: 'It is one of the open causes again. Its events do not change.',
    done: 'It is open again.',
  }
  return {
    open: [acknowledge, resolve],
    acknowledged: [resolve, reopen],
    resolved: [reopen],
  }[state]
}

/** An operator may think that a resolved cause needs nothing more. */
function whatStays({ dead, failed, quarantined, isCapped }: GroupDetail): string {
  const its = (count: number, one: string, many: string): string => {
    if (count === 0) {
      return ''
    }
    if (isCapped) {
      return ` Its ${many}.`
    }
    return count === 1 ? ` Its ${one}.` : ` Its ${digits(count)} ${many}.`
  }
  return [
    its(
      dead,
      'dead event stays dead until somebody replays or discards it',
      'dead events stay dead until somebody replays or discards them',
    ),
    its(failed, 'failed event keeps its next attempt', 'failed events keep their next attempts'),
    its(quarantined, 'quarantined delivery stays in quarantine', 'quarantined deliveries stay in quarantine'),
  ].join('')
}
