import type { GlyphName } from 'webhook-inbox-ui'
import type { BulkAction, RunActView, RunView } from '../../../src/wire.js'
import { digits } from '../digits.js'
import { knownUntil } from '../live.js'
import { counted } from '../state-words.js'

interface ActionWords {
  readonly word: string
  /** What it did, such as `Replayed`. */
  readonly past: string
  readonly effect: string
  /** Whether its events run, so that a canary can tell something. */
  readonly runs: boolean
}

export const bulkWords: Readonly<Record<BulkAction, ActionWords>> = {
  replay: {
    word: 'Replay',
    past: 'Set to run again',
    effect: 'Each one runs again. What its handler did before stays done.',
    runs: true,
  },
  retryNow: {
    word: 'Retry now',
    past: 'Due now',
    effect: 'Each one runs now instead of at its next attempt. This does not count as an attempt.',
    runs: true,
  },
  giveUp: {
    word: 'Give up',
    past: 'Given up',
    effect: 'Each one is dead, and does not run until somebody replays it.',
    runs: false,
  },
  discard: {
    word: 'Discard',
    past: 'Discarded',
    effect: 'Each one is deleted.',
    runs: false,
  },
}

const runStates: Readonly<Record<RunView['state'], readonly [glyph: GlyphName, word: string]>> = {
  running: ['in_progress', 'Running'],
  canary: ['pending', 'Waits for its canary'],
  paused: ['ignored', 'Paused'],
  stopped: ['failed', 'Stopped by its canary'],
  cancelled: ['canceled', 'Cancelled'],
  done: ['processed', 'Ended'],
}

/** The state of a run in a word or two. */
export function stateOf(run: RunView): string {
  if (isUndone(run)) {
    return undoneWord(run)
  }
  if (isLeft(run)) {
    return 'Waits for a process'
  }
  const { state, note, waiting = 0 } = run
  // A run has a note only if its canary failed.
  const canary = note && state !== 'stopped' ? ['its canary failed'] : []
  if (state !== 'done') {
    return [runStates[state][1], ...canary].join(', ')
  }
  return [
    run.applied === 0 ? 'Ended without a change' : againOf(run) > 0 ? 'Ended with failures' : 'Ended',
    ...(waiting > 0 ? [`${digits(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`] : []),
    ...canary,
  ].join(', ')
}

/** Milliseconds in which a process usually takes a new run. */
const patience = 5000

/** Whether a run goes on by itself. */
export const isGoing = ({ state }: RunView): boolean => state === 'running' || state === 'canary'

/** Whether no process works on a run that is to go on: its process was killed, or none runs events. */
export const isLeft = (run: RunView): boolean =>
  isGoing(run) && !run.isHeld && Date.parse(run.createdAt) < knownUntil() - patience

/** While a run goes on, that is its state, also if events of it have come back. */
const isUndone = ({ restored, endedAt }: RunView): boolean => restored > 0 && endedAt !== undefined

const undoneWord = ({ restored, applied }: RunView) => (restored < applied ? 'Partly undone' : 'Undone')

const actWords: Readonly<Record<RunActView['action'], string>> = {
  pauseRun: 'Paused',
  resumeRun: 'Resumed',
  cancelRun: 'Cancelled',
  undo: 'Events restored',
}

/** What an operator did to a run. */
export const actWord = ({ action }: RunActView): string => actWords[action]

/** Who did it and why, for those who may read that. */
export const byWords = ({ actor, reason }: RunActView): string =>
  actor === undefined ? '' : ` by ${actor}: ${reason}`

export const skipWords: Readonly<Record<string, string>> = {
  already_replayed: 'somebody replayed it after the preview',
  is_running: 'a handler ran it, or another change was being made to it',
  is_gone: 'it was discarded or pruned after the preview',
  changed_state: 'it changed its state after the preview',
  is_due: 'it is due already; it runs as soon as nothing holds it',
  has_other_version: 'its original or an edited copy of it is done, or is to run',
  failed: 'the queue rejected it',
}

export const skippedOf = ({ skipped }: RunView): number =>
  Object.values(skipped).reduce((sum, count) => sum + (count ?? 0), 0)

/** Whether it made events run. Only then is there something to see of them afterwards. */
export const runsAgain = ({ action, applied }: RunView): boolean => bulkWords[action].runs && applied > 0

const againOf = ({ failedAgain = 0 }: RunView): number => failedAgain

/**
 * What a run has come to, as sentences: first what became of its events, then the rest. The server reads only the first events of
 * a large run. Partial success is not called success.
 */
export function outcomeOf(run: RunView): readonly [head: string, rest: string] {
  const { action, count, applied, failed, remaining, restored, waiting = 0, done = 0, lookedAt = 0 } = run
  const { changedSince = 0 } = run
  const least = lookedAt < applied ? 'at least ' : ''
  const [again, skipped] = [againOf(run), skippedOf(run)]
  const became = sentences(
    waiting > 0 && `Waiting: ${digits(waiting)}`,
    again > 0 && `Failed again: ${least}${digits(again)}`,
    done > 0 && `Done: ${least}${digits(done)}`,
    changedSince > 0 && `Changed again since: ${least}${digits(changedSince)}`,
  )
  const changed = sentences(
    restored > 0
      ? `${undoneWord(run)}: ${digits(restored)} of ${counted(applied)} restored`
      : `${bulkWords[action].past}: ${digits(applied)} of ${digits(count)}`,
  )
  const others = sentences(
    skipped > 0 && `Skipped: ${digits(skipped)}`,
    failed > 0 && `Rejected by the queue: ${digits(failed)}`,
    remaining > 0 && `Not handled: ${digits(remaining)}`,
  )
  return became ? [became, `${changed} ${others}`.trimEnd()] : [changed, others]
}

const sentences = (...parts: readonly (string | false)[]): string =>
  parts.flatMap((part) => (part ? `${part}.` : [])).join(' ')

/** As {@link outcomeOf}, in one text. */
export const outcomeText = (run: RunView): string => outcomeOf(run).join(' ').trimEnd()

/** The verdict on a run. Where it is not known what became of its events, it is none of success. */
export function verdictOf(run: RunView): GlyphName {
  if (againOf(run) > 0) {
    return 'failed'
  }
  if (isUndone(run)) {
    return 'canceled'
  }
  if (isLeft(run)) {
    return 'pending'
  }
  if (run.state !== 'done') {
    return runStates[run.state][0]
  }
  if (run.failed > 0) {
    return 'failed'
  }
  if ((run.waiting ?? 0) > 0) {
    return 'pending'
  }
  const isUnknown = runsAgain(run) && (run.done ?? 0) < run.applied
  return isUnknown || skippedOf(run) > 0 ? 'duplicate' : 'processed'
}
