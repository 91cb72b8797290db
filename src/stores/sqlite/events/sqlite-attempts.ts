import { type FailedAttempt, withAttempt, withLost, withSuccess } from '../../../store/failed-attempt.js'
import type { InboxState } from '../../../store/inbox.js'
import { asBytes, text, time } from './event-row.js'

/** What {@link withFailure} reads of an event that has just failed. */
export const attemptColumns = `
  ${['last_error', 'attempts'].map(asBytes).join(', ')}, state, generation, attempt, due_at`

type Text = Uint8Array | ArrayBuffer

export interface AttemptRow {
  readonly attempts: Text | null
  readonly last_error: Text | null
  readonly state: InboxState
  readonly generation: number
  readonly attempt: number
  readonly due_at: number
}

/** Who notes a failure: `once`, or `once` for a failure that is no attempt, or the queue. */
export type NotedBy = 'once' | 'uncounted' | 'queue'

/** The column `attempts` of an event that has just failed, with this failure. */
export function withFailure(row: AttemptRow, group: string, by: NotedBy): string {
  const isOfQueue = by === 'queue'
  const failure: FailedAttempt = {
    generation: Number(row.generation),
    attempt: Number(row.attempt),
    at: time(Date.now()),
    ...(row.last_error !== null && { error: text(row.last_error) }),
    group,
    ...(by === 'uncounted' && { isUncounted: true }),
    ...(isOfQueue && row.state === 'failed' && { retryAt: time(row.due_at) }),
  }
  return JSON.stringify(withAttempt(parse(row.attempts), failure, isOfQueue))
}

/** What {@link attemptsOf} reads of an event besides its other columns. The first parameter is the time in ms. */
export const keptColumns = `
  ${asBytes('attempts')}, lease_until > ? AS is_running`

export interface KeptAttempts {
  readonly attempts: Text | null
  readonly is_running: number
  readonly state: InboxState
  readonly generation: number
  readonly attempt: number
}

export function attemptsOf(row: KeptAttempts): { readonly attempts?: readonly FailedAttempt[] } {
  const attempts = withLost(parse(row.attempts), {
    generation: Number(row.generation),
    ended: Number(row.attempt) - (row.is_running ? 1 : 0),
    isDone: row.state === 'done',
  })
  return attempts.length > 0 ? { attempts } : {}
}

/** The column `attempts` of a done event, with its success. */
export const withDone = ({ attempts, generation, attempt, done_at }: DoneRow): string =>
  JSON.stringify(
    withSuccess(parse(attempts), {
      generation: Number(generation),
      attempt: Number(attempt),
      at: time(done_at),
    }),
  )

export interface DoneRow extends Pick<AttemptRow, 'attempts' | 'generation' | 'attempt'> {
  readonly done_at: number
}

const parse = (kept: Text | null): readonly FailedAttempt[] => (kept === null ? [] : JSON.parse(text(kept)))
