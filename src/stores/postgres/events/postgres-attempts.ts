import { type FailedAttempt, mostAttempts, withLost } from '../../../store/failed-attempt.js'
import { rfc3339 } from '../connection/time-column.js'
import type { Row } from '../connection/transactions.js'

interface Failure {
  /** The qualifier of the columns of the event as it was. */
  readonly of?: string
  /** The expressions of its parts. */
  readonly generation?: string
  readonly attempt?: string
  readonly error: string
  readonly group: string
  readonly retryAt?: string
  /** More properties, as JSON. */
  readonly more?: string
}

/** A failure as one of `attempts`. */
export function failureOf({ of = '', error, group, retryAt, more, ...numbers }: Failure): string {
  const { generation = `${of}generation`, attempt = `${of}attempt` } = numbers
  const next = retryAt === undefined ? '' : `, 'retryAt', ${rfc3339(retryAt)}`
  const others = more === undefined ? '' : ` || ${more}::jsonb`
  return `(jsonb_build_object('generation', ${generation}, 'attempt', ${attempt}, 'at', ${rfc3339('clock_timestamp()')},
    'error', ${error}, 'group', ${group}${next})${others})`
}

/** The value of `attempts` with one more, as `withAttempt` makes it. */
export function withFailure(failure: Failure, { isOfQueue }: { readonly isOfQueue: boolean }): string {
  const { of = '' } = failure
  const [kept, last] = [`${of}attempts`, `(${of}attempts -> -1)`]
  const isNoted = `(${last}->>'generation')::int = ${of}generation AND (${last}->>'attempt')::int = ${of}attempt
    AND ${last}->'retryAt' IS NULL`
  return `(CASE ${isOfQueue ? `WHEN ${isNoted} THEN ${kept} - (-1)` : ''}
    ${withRoom(kept)} END
    || ${failureOf(failure)})`
}

/** The branches that leave room for one more, as `withOneMore` does: the first success stays. */
const withRoom = (kept: string) =>
  `WHEN jsonb_array_length(${kept}) >= ${mostAttempts} THEN ${kept} - (CASE WHEN ${kept}->0->'isDone' IS NULL THEN 0 ELSE 1 END)
    ELSE coalesce(${kept}, '[]')`

/** The value of `attempts` of an event before a replay, as `withSuccess` makes it. */
export const withSuccess = `(CASE WHEN state <> 'done' OR done_at IS NULL THEN attempts
    ELSE (CASE ${withRoom('attempts')} END) || jsonb_build_object('generation', generation, 'attempt', attempt,
      'at', ${rfc3339('done_at')}, 'isDone', true) END)`

/** As text, whatever the driver makes of JSON. */
export const keptColumn = 'attempts::text AS attempts'

export function attemptsOf(row: Row): { readonly attempts?: readonly FailedAttempt[] } {
  const { generation, attempt: ended, state } = row
  const kept = row.attempts === null ? [] : JSON.parse(row.attempts)
  const attempts = withLost(kept, { generation, ended, isDone: state === 'done' })
  return attempts.length > 0 ? { attempts } : {}
}
